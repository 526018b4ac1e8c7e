#ifndef TOMOGRAPH_CLASSICAL_METHODS_ACQUIRE_WALKS_HPP
#define TOMOGRAPH_CLASSICAL_METHODS_ACQUIRE_WALKS_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "tomograph/cache/subject.hpp"

namespace tomograph::classical_methods {

/// A walk with one stride over the first bytes of an array.
struct Walk {
  std::int64_t bytes = 0;
  std::int64_t stride = chase::node_bytes;
};

/// Average net latency of each walk when it is repeated: the median of five trials.
[[nodiscard]] std::vector<double> averages(const cache::Executor& execute, const cache::Subject& subject,
                                           std::span<const Walk> walks);

/// Net latencies of the first loads of each walk when it is repeated, the same number for all.
[[nodiscard]] std::vector<std::vector<double>> second_rounds(const cache::Executor& execute,
                                                             const cache::Subject& subject,
                                                             std::span<const Walk> walks);

}  // namespace tomograph::classical_methods

#endif
