#ifndef TOMOGRAPH_DATA_CACHE_ANALYSIS_BANK_COUNT_HPP
#define TOMOGRAPH_DATA_CACHE_ANALYSIS_BANK_COUNT_HPP

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

/// How many banks a channel of memory has, of which lines of one or a few sets see most.
namespace tomograph::data_cache {

/// How many banks a channel has.
struct BankCount {
  std::int64_t value = 0;
  double probability = 0;
};
/// Lines that fell, as if at random, into banks.
struct BankSample {
  std::vector<std::size_t> groups;  ///< the lines of each group

  [[nodiscard]] std::size_t lines() const { return std::accumulate(groups.begin(), groups.end(), std::size_t{0}); }
};
/// The most likely number: each line falls into any bank with equal probability, and each number of banks from half to
/// four times the most groups is as likely before. Two groups may be parts of one bank: few lines are that rather than
/// a bank of their own where all others have many. Two lines that a bank holds alone are two groups if they share a
/// row, with probability `same_row`. Nothing without lines.
[[nodiscard]] std::optional<BankCount> count_banks(std::span<const BankSample> samples, double same_row);

}  // namespace tomograph::data_cache

#endif
