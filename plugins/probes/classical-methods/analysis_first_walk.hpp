#ifndef TOMOGRAPH_CLASSICAL_METHODS_ANALYSIS_FIRST_WALK_HPP
#define TOMOGRAPH_CLASSICAL_METHODS_ANALYSIS_FIRST_WALK_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// What a miss prefetches, from first walks through memory (Mei & Chu 2017, section 4.6).
namespace tomograph::classical_methods {

/// For each node of a walk whether it missed in the first round, and whether it did in the second.
struct TwoRounds {
  std::vector<bool> first;
  std::vector<bool> second;
};

/// Bytes from the first cold miss to the next, with nodes `stride` apart. A miss that the second round repeats is none
/// of the cache: it may be one of a TLB. Nothing if there are no two.
[[nodiscard]] std::optional<std::int64_t> fetched_bytes(const TwoRounds& walk, std::int64_t stride);

struct FirstWalk {
  bool cold = false;                  ///< the cache held nearly nothing of the walk beforehand
  std::optional<std::int64_t> bytes;  ///< fetched_bytes of most walks
};

/// The cache was cold if nearly all loads of a descending walk miss: a prefetch of what lies behind fetches nothing new
/// for it.
[[nodiscard]] FirstWalk first_walk(const std::vector<bool>& descending, std::span<const TwoRounds> ascending,
                                   std::int64_t stride);

}  // namespace tomograph::classical_methods

#endif
