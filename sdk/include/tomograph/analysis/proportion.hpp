#ifndef TOMOGRAPH_ANALYSIS_PROPORTION_HPP
#define TOMOGRAPH_ANALYSIS_PROPORTION_HPP

#include <cstddef>

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/interval.hpp"

/// What counts say about rates, and what repeated measurement says about a discrete value.
/// Functions throw std::invalid_argument if successes exceed trials or a probability is out of range.
namespace tomograph::analysis {

/// Score interval of a rate (Wilson 1927): narrower, covers it with about probability `confidence`.
/// [0, 1] without trials.
[[nodiscard]] Interval wilson(std::size_t successes, std::size_t trials, double confidence);

/// log of P[counts | rate a] / P[counts | rate b]. Infinite where one rate rules the counts out.
/// @throws std::invalid_argument if both do.
[[nodiscard]] double log_likelihood_ratio(std::size_t successes, std::size_t trials, double a, double b);

/// Posterior probability of hypothesis a against b, given the log of their likelihood ratio and a's prior.
[[nodiscard]] double posterior(double log_ratio, double prior = 0.5);

using confidence::systematic_error;

/// Probability that a discrete value is right which `agreeing` of `total` independent measurements gave, when it
/// could have been one of `alternatives` other values.
///
/// Model: a measurement gives the right value with an unknown rate p, else one of the other values, each with the
/// same probability. Prior: all values equally likely; p uniform on [1 / (alternatives + 1), 1], i.e. no worse than
/// guessing. The rivals are taken at their strongest: all measurements that disagree agree with each other. By Bayes,
///   P = L(k) / (L(k) + L(n-k) + (A-1) L(0)),   L(j) = A^(j-n) * integral of p^j (1-p)^(n-j) over p,
/// and the result is P (1 - systematic_error), so it never reaches 1. No measurement: 1 / (alternatives + 1).
/// @throws std::invalid_argument if alternatives is 0.
[[nodiscard]] double confidence_from_agreement(std::size_t agreeing, std::size_t total, std::size_t alternatives);

}  // namespace tomograph::analysis

#endif
