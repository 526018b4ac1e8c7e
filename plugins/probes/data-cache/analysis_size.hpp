#ifndef TOMOGRAPH_DATA_CACHE_ANALYSIS_SIZE_HPP
#define TOMOGRAPH_DATA_CACHE_ANALYSIS_SIZE_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "acquire_saturation.hpp"
#include "tomograph/analysis/interval.hpp"

/// Capacities from what footprints retain.
namespace tomograph::data_cache {

/// The bytes of so many lines of `line_bytes` as `bytes` come closest to.
[[nodiscard]] std::int64_t whole_lines(double bytes, std::int64_t line_bytes);

/// Capacity in bytes, in whole lines, with its interval.
struct Capacity {
  std::int64_t bytes = 0;
  analysis::Interval interval;
};

/// Whether lines fall into sets as if by chance: then 1 - e^-w w^w / w! of sets of w ways are filled by a footprint as
/// large as the cache, 0.90 of 16 ways and 0.73 of two, and even one of 1.5 times its size leaves some of up to eight
/// ways empty. The median over carve-outs decides: an H200 keeps 0.91 to 0.95 where a carve-out leaves little L1, else
/// 0.99.
[[nodiscard]] bool fill_by_chance(std::span<const Saturation> seen);

/// Capacities of a cache with a soft knee, in whole lines of `line_bytes`, as it was seen beside several carve-outs. An
/// interval reaches down to what stays of a footprint of just that size. How much counts at different places differ
/// beyond sampling is seen beside all carve-outs together, of which each has a few places only.
[[nodiscard]] std::vector<Capacity> usable_capacities(std::span<const Saturation> seen, std::int64_t line_bytes);

/// Loads that measure a capacity of about `bytes` to 0.6 % or, in a small cache, to a line or two.
[[nodiscard]] std::int64_t tests_for_capacity(std::int64_t bytes, std::int64_t line_bytes);

/// `tests`, of which the first row took so many loads, or so few that as many rows as follow take no more than 64
/// million: 1.3 s of one SM at 35 cycles and 1.7 GHz. An H200's take 43 million.
[[nodiscard]] std::int64_t affordable_tests(std::int64_t tests, std::int64_t loads_of_row, std::int64_t rows);

}  // namespace tomograph::data_cache

#endif
