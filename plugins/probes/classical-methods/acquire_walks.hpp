#ifndef TOMOGRAPH_CLASSICAL_METHODS_ACQUIRE_WALKS_HPP
#define TOMOGRAPH_CLASSICAL_METHODS_ACQUIRE_WALKS_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "analysis_overflow.hpp"
#include "tomograph/cache/subject.hpp"

namespace tomograph::classical_methods {

/// A walk with one stride over the first bytes of an array.
struct Walk {
  std::int64_t bytes = 0;
  std::int64_t stride = chase::node_bytes;
  chase::Order order = chase::Order::sequential;  ///< shuffled: one random cycle over all nodes (Sattolo 1986)
};

/// The next of the sizes 2^k and 1.5 * 2^k.
[[nodiscard]] inline std::int64_t next_size(std::int64_t bytes) {
  return (bytes & (bytes - 1)) == 0 ? bytes / 2 * 3 : bytes / 3 * 4;
}

/// Average net latency of each walk when it is repeated: the median of five trials.
[[nodiscard]] std::vector<double> averages(const cache::Executor& execute, const cache::Subject& subject,
                                           std::span<const Walk> walks);

/// Net latencies of the first loads of each walk when it is repeated, the same number for all.
[[nodiscard]] std::vector<std::vector<double>> second_rounds(const cache::Executor& execute,
                                                             const cache::Subject& subject,
                                                             std::span<const Walk> walks);

/// Rounds that fill the cache before misses are counted, as walks that count retained lines make by default.
inline constexpr std::int64_t filling_rounds = 4;

/// The misses of a walk that is repeated, in `rounds` rounds after those that fill the cache.
[[nodiscard]] Misses count_misses(const cache::Executor& execute, const cache::Subject& subject, const Walk& walk,
                                  int rounds);

}  // namespace tomograph::classical_methods

#endif
