#ifndef TOMOGRAPH_ANALYSIS_OCCUPANCY_HPP
#define TOMOGRAPH_ANALYSIS_OCCUPANCY_HPP

#include <cstddef>
#include <span>
#include <vector>

/// Balls in bins: how many of n lines at random places stay in a set-associative cache, and what the number that stayed
/// says about its sets. Holds for every index that spreads lines evenly (hashed or not) and every replacement policy
/// that fills empty ways first: a set to which x lines belong retains min(ways, x) of them.
namespace tomograph::analysis {

/// Number of retained lines over many draws of places.
struct Retained {
  double mean = 0;
  double variance = 0;
};

/// mean = sets * E[min(ways, X)], X ~ Binomial(lines, 1/sets), exact.
/// variance = sets * (Var[min(ways, X)] - Cov[min(ways, X), X]^2 / Var[X]): sets taken as independent but for their
/// total, asymptotically exact (Holst 1972). @throws std::invalid_argument if sets or ways is 0.
[[nodiscard]] Retained retained_lines(std::size_t lines, std::size_t sets, std::size_t ways);

/// Of `lines` lines that were walked, `sampled` different ones were tested and `retained` of them hit.
struct Retention {
  std::size_t lines = 0;
  std::size_t sampled = 0;
  std::size_t retained = 0;
};

/// One candidate geometry with its probability among the candidates.
struct SetCandidate {
  std::size_t sets = 0;
  std::size_t ways = 0;
  double probability = 0;
};

/// Geometry from retention.
struct SetEstimate {
  SetCandidate best;
  /// Probability of the best, never above 1 - systematic_error.
  double confidence = 0;
  /// All candidates in the order given.
  std::vector<SetCandidate> candidates;
};

/// Most likely number of equal sets of a cache of `capacity` lines. Observations are independent draws of places.
/// The lines lost from a sample are taken as gamma distributed, rounded to integers, with the mean and variance of
/// `retained_lines` plus those of choosing the sample; one count in a thousand may be anything. Prior: all candidates
/// alike. O(different line counts * candidates * ways).
/// Informative are numbers of lines near and up to a few times the capacity: far fewer all stay, far more fill every
/// set.
/// @throws std::invalid_argument if there is no candidate, one does not divide the capacity, or an observation has
/// retained > sampled or sampled > lines.
[[nodiscard]] SetEstimate estimate_sets(std::span<const Retention> observations, std::size_t capacity,
                                        std::span<const std::size_t> candidate_sets);

}  // namespace tomograph::analysis

#endif
