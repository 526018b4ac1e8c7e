#ifndef TOMOGRAPH_ANALYSIS_OCCUPANCY_HPP
#define TOMOGRAPH_ANALYSIS_OCCUPANCY_HPP

#include <cstddef>
#include <span>
#include <vector>

/// The number of sets from lines at random places (balls in bins): how many of n lines stay in a set-associative cache,
/// and which number of sets explains the count. Valid for every index that spreads lines evenly, hashed or not, and for
/// every replacement policy that fills empty ways first: a set that x lines belong to retains min(ways, x) of them.
namespace tomograph::analysis {

/// Number of retained lines over many draws of places.
struct Retained {
  double mean = 0;
  double variance = 0;
};

/// Expectation for `lines` lines at random places.
/// mean = sets * E[min(ways, X)], X ~ Binomial(lines, 1/sets), exact.
/// variance = sets * (Var[min(ways, X)] - Cov[min(ways, X), X]^2 / Var[X]), which takes sets as independent but for
/// their total; asymptotically exact (Holst 1972). @throws std::invalid_argument if sets or ways is 0.
[[nodiscard]] Retained retained_lines(std::size_t lines, std::size_t sets, std::size_t ways);

/// One observation: of `lines` walked lines, `sampled` different ones were tested and `retained` of those hit.
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

/// Result of `estimate_sets`.
struct SetEstimate {
  SetCandidate best;
  /// Probability of the best, at most 1 - systematic_error.
  double confidence = 0;
  std::vector<SetCandidate> candidates;  ///< in the order given
};

/// Most likely number of equal sets of a cache of `capacity` lines. Observations are independent draws of places.
/// Prior: all candidates alike. O(different line counts * candidates * ways).
///
/// Model: the lines lost from a sample follow a gamma distribution, rounded to integers, with the mean and variance of
/// `retained_lines` plus those of choosing the sample. One count in a thousand may be anything.
/// Numbers of lines near and up to a few times the capacity carry the information: far fewer lines all stay, far more
/// fill every set.
/// @throws std::invalid_argument if there is no candidate, a candidate does not divide the capacity, or an observation
/// has retained > sampled or sampled > lines.
[[nodiscard]] SetEstimate estimate_sets(std::span<const Retention> observations, std::size_t capacity,
                                        std::span<const std::size_t> candidate_sets);

}  // namespace tomograph::analysis

#endif
