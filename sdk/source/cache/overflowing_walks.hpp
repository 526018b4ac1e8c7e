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

/// Lines of the subject's region that are walked again and again.
struct Walk {
  std::vector<std::int64_t> lines;
  bool expected = true;  ///< to overflow a set: only what is unexpected is looked at again
};

/// Whether each walk has more lines in some set than it has ways: then it misses at least once every time, whatever the
/// policy. So a walk without a miss is proof that all lines fit; one with a miss may be disturbed, and where that was
/// not expected, two further looks must agree.
[[nodiscard]] std::vector<bool> overflows(const Executor& execute, const Subject& subject, std::int64_t line_bytes,
                                          std::span<const Walk> walks);

}  // namespace tomograph::cache

#endif
