#ifndef TOMOGRAPH_BENCH_SUITE_TRUTH_HPP
#define TOMOGRAPH_BENCH_SUITE_TRUTH_HPP

#include <vector>

#include "family.hpp"

namespace tomograph::bench {

/// Every discrete fact that the description of a GPU fixes: what is counted, named or listed, not latencies and rates.
[[nodiscard]] std::vector<Expected> discrete_truth(const sim::Gpu& gpu);

}  // namespace tomograph::bench

#endif
