#ifndef TOMOGRAPH_DATA_CACHE_ANALYSIS_SIZE_HPP
#define TOMOGRAPH_DATA_CACHE_ANALYSIS_SIZE_HPP

#include <cstdint>

#include "acquire_saturation.hpp"
#include "tomograph/analysis/interval.hpp"

/// Capacities from what footprints retain.
namespace tomograph::data_cache {

/// Capacity in bytes, in whole lines, with its interval.
struct Capacity {
  std::int64_t bytes = 0;
  analysis::Interval interval;
};

/// The capacity of a cache with a soft knee, in whole lines of `line_bytes`. The interval reaches down to what stays of
/// a footprint of just that size.
[[nodiscard]] Capacity usable_capacity(const Saturation& seen, std::int64_t line_bytes);

/// Loads that measure a capacity of about `bytes` to 0.6 % or, in a small cache, to a line or two.
[[nodiscard]] std::int64_t tests_for_capacity(std::int64_t bytes, std::int64_t line_bytes);

/// `tests`, of which the first row took so many loads, or so few that as many rows as follow take no more than 64
/// million: 1.3 s of one SM at 35 cycles and 1.7 GHz. An H200's take 43 million.
[[nodiscard]] std::int64_t affordable_tests(std::int64_t tests, std::int64_t loads_of_row, std::int64_t rows);

}  // namespace tomograph::data_cache

#endif
