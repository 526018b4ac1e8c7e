#ifndef TOMOGRAPH_CACHE_OVERFLOWING_WALKS_HPP
#define TOMOGRAPH_CACHE_OVERFLOWING_WALKS_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "tomograph/cache/subject.hpp"

namespace tomograph::cache {

/// A ring of one node for each of `lines`, `offset` bytes into it.
[[nodiscard]] chase::Ring ring_over(std::span<const std::int64_t> lines, std::int64_t line_bytes,
                                    std::int64_t offset = 0);

/// The same for walks that seek sets: a node for each of the subject's touches, in the smallest sector.
[[nodiscard]] chase::Ring touching_ring(const Subject& subject, std::span<const std::int64_t> lines,
                                        std::int64_t line_bytes, std::int64_t offset = 0);

/// Lines of the subject's region, walked repeatedly.
struct Walk {
  std::vector<std::int64_t> lines;
  bool expected = true;  ///< whether a set is expected to overflow; only unexpected answers are repeated
};

/// Adds walks of actor 0 over ring 0, which has the first node of each of the lines, into the steady state. A set of a
/// shared cache holds lines of others at first. A victim chosen by turns finds them in as many walks as there are ways,
/// a tree only if walks differ in their order. So few lines are walked often, and in two orders.
void settle(chase::Program& program, const Subject& subject, std::int64_t line_bytes,
            std::span<const std::int64_t> lines, std::int64_t trial);

/// Whether each walk has more lines in some set than the set has ways. Such a walk misses at least once per pass,
/// whatever the policy, so a walk without a miss proves that all lines fit. A walk with a miss may be disturbed: where
/// that was not expected, two repetitions must agree. False alarms: the third power of the probability that a walk has
/// a misread load.
[[nodiscard]] std::vector<bool> overflows(const Executor& execute, const Subject& subject, std::int64_t line_bytes,
                                          std::span<const Walk> walks);

}  // namespace tomograph::cache

#endif
