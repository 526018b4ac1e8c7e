#ifndef TOMOGRAPH_DATA_CACHE_ANALYSIS_REFRESH_HPP
#define TOMOGRAPH_DATA_CACHE_ANALYSIS_REFRESH_HPP

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "tomograph/analysis/interval.hpp"

/// When banks of memory refresh themselves: loads that come meanwhile are late, at regular times.
namespace tomograph::data_cache {

/// Loads of one bank at random times, in one stretch of time.
struct BankLoads {
  std::vector<double> start;  ///< cycles
  std::vector<double> wait;   ///< cycles that each took longer than usual; 0 if it was not late
};

/// In cycles.
struct Refresh {
  double period = 0;
  analysis::Interval period_interval;
  double duration = 0;  ///< 0 if the longest waits and when late loads begin tell different ones
  analysis::Interval duration_interval;
  std::size_t late = 0;      ///< loads
  double concentration = 0;  ///< of the late loads' times in the period: 0 if they are random, 1 if all are equal
  double chance = 1;         ///< probability that random times are as regular
};

/// The longest period that explains the late loads of all stretches that were seen, whatever the phase in each, with
/// 0.85 or more of the power of the most likely one: of late loads that follow a period, all its parts explain some.
/// Loads that follow the period themselves, late or not, tell nothing. Where refreshes move in phase within a stretch,
/// parts of it are compared, down to an eighth. `cut` is the least wait of a late load, if it is a tenth of the longest
/// or more. Nothing if no period explains them: `concentration` must be 0.6 or more, and `chance` below 1e-6.
///
/// The power of a frequency is that of Rayleigh's test (Mardia, Jupp, "Directional Statistics", 2000, 6.3.1) over all
/// stretches. Frequencies are searched in a part of the time first, where few are enough.
[[nodiscard]] std::optional<Refresh> find_refresh(std::span<const BankLoads> seen, double cut);

}  // namespace tomograph::data_cache

#endif
