#ifndef TOMOGRAPH_DATA_CACHE_ACQUIRE_BANKS_HPP
#define TOMOGRAPH_DATA_CACHE_ACQUIRE_BANKS_HPP

#include <cstdint>
#include <vector>

#include "acquire_l2_sets.hpp"
#include "analysis_banks.hpp"
#include "analysis_refresh.hpp"

/// The banks of the memory behind one channel. Lines of one set of L2 share a channel. tomograph.l2_loads/1 makes each
/// load miss. All functions throw as Session::ask.
namespace tomograph::data_cache {

/// What the loads of one set's lines tell.
struct MeasuredBanks {
  std::vector<std::int64_t> lines;  ///< of one channel
  Banks banks;                      ///< numbers of these
  std::vector<double> penalties;    ///< by bank, without those of one line: cycles that conflicts add to a latency
  double deviation = 0;             ///< standard, of pairs that do not conflict

  /// Whether conflicts delay by so many of these deviations.
  [[nodiscard]] bool exceeds(double deviations) const;
};
/// Groups lines of a set by bank, by their conflicts. Of lines behind two partitions, the nearer ones. There is at
/// least one.
[[nodiscard]] MeasuredBanks measure_banks(const Session& session, const EvictionSetting& setting,
                                          const std::vector<std::int64_t>& members);

/// Loads of a few banks, and the length of a cycle.
struct RefreshTrace {
  std::vector<BankLoads> stretches;  ///< by stretch of time, and then by bank
  double cut = 0;                    ///< least wait of a late load
  double seconds_per_cycle = 0;
};
/// Loads a line of each of a few banks in turn.
[[nodiscard]] RefreshTrace trace_refresh(const Session& session, const EvictionSetting& setting,
                                         const MeasuredBanks& measured);

}  // namespace tomograph::data_cache

#endif
