#include "analysis_lookups.hpp"

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::memory_concurrency {

std::optional<LookupRate> lookups_per_cycle(std::span<const Lookup> lookups) {
  // Loads that lookups do not limit take equally long, but for 3 % between runs at most: noise alone exceeds 1.5 less
  // than once in 1e30 pairs. Those of 32 lines take eight times as long as those of one line even with four lookups a
  // cycle.
  constexpr double clearly_longer = 1.5;
  const Lookup* most = nullptr;
  const Lookup* fewest = nullptr;
  for (const Lookup& lookup : lookups) {
    if (lookup.bank_words > 1) continue;
    if (most == nullptr || lookup.lines > most->lines) most = &lookup;
    if (fewest == nullptr || lookup.lines < fewest->lines) fewest = &lookup;
  }
  if (most == nullptr || analysis::median(most->cycles) < clearly_longer * analysis::median(fewest->cycles))
    return std::nullopt;
  LookupRate rate{.lines = most->lines};
  for (const double cycles : most->cycles) rate.of_runs.push_back(static_cast<double>(most->lines) / cycles);
  rate.value = analysis::median(rate.of_runs);
  return rate;
}

}  // namespace tomograph::memory_concurrency
