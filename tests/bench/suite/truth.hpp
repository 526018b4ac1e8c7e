#ifndef TOMOGRAPH_BENCH_SUITE_TRUTH_HPP
#define TOMOGRAPH_BENCH_SUITE_TRUTH_HPP

#include <vector>

#include "family.hpp"

namespace tomograph::bench {

/// All discrete facts that follow from the description of a GPU: counts, names and lists, not latencies and rates.
[[nodiscard]] std::vector<Expected> discrete_truth(const sim::Gpu& gpu);

}  // namespace tomograph::bench

#endif
