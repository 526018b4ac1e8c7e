#ifndef TOMOGRAPH_BENCH_ACCURACY_CACHE_TRUTH_HPP
#define TOMOGRAPH_BENCH_ACCURACY_CACHE_TRUTH_HPP

#include <cstdint>
#include <vector>

#include "family.hpp"

namespace tomograph::bench {

/// The sets that one SM fills.
struct Organisation {
  std::vector<std::uint64_t> masks;  ///< bit i of a set's number is the parity of address & masks[i]
  std::vector<std::int64_t> set_ways;
  sim::Replacement replacement;
};

/// The sets of one cache.
[[nodiscard]] Organisation organisation(const sim::Cache& cache);

/// What is true of fetch_granularity, sector_size, line_size and, for the organisation that an SM sees, sets, ways,
/// set_ways, index, replacement and way_probability. README.md says what is observable, and what counts as right.
void expect_lines(ExpectedFacts& facts, const sim::Cache& cache);
void expect_organisation(ExpectedFacts& facts, const Organisation& truth);

}  // namespace tomograph::bench

#endif
