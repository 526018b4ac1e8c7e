#ifndef TOMOGRAPH_MEMORY_CONCURRENCY_ANALYSIS_LOOKUPS_HPP
#define TOMOGRAPH_MEMORY_CONCURRENCY_ANALYSIS_LOOKUPS_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// Loads that the L1 serves, by the lines and banks that they touch. Pure functions.
namespace tomograph::memory_concurrency {

struct Lookup {
  std::int64_t lines = 1;
  std::int64_t bank_words = 1;      ///< most words of one bank
  std::vector<double> cycles = {};  ///< of a load, by repetition
};

struct LookupRate {
  double value = 0;                  ///< lines per cycle
  std::int64_t lines = 0;            ///< of the load that shows it
  std::vector<double> of_runs = {};  ///< by repetition
};

/// The rate of the loads of most lines among those that take one word of each bank. Nothing if they take less than 1.5
/// times the cycles of the loads of fewest lines: then something else limits both, as the issue of instructions.
/// Nothing if there are none, either. Each has as many repetitions.
[[nodiscard]] std::optional<LookupRate> lookups_per_cycle(std::span<const Lookup> lookups);

}  // namespace tomograph::memory_concurrency

#endif
