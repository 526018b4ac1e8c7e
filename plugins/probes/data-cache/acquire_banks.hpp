#ifndef TOMOGRAPH_DATA_CACHE_ACQUIRE_BANKS_HPP
#define TOMOGRAPH_DATA_CACHE_ACQUIRE_BANKS_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "acquire_l2_sets.hpp"
#include "analysis_banks.hpp"
#include "analysis_refresh.hpp"

/// The banks of the memory behind sets of L2: lines of one set evict each other, so that each load of them misses.
namespace tomograph::data_cache {

/// What the loads of one set's lines tell.
struct MeasuredBanks {
  std::vector<std::int64_t> lines;  ///< that miss
  Banks banks;                      ///< numbers of these
  std::vector<double> penalties;    ///< cycles that each conflict adds to the latency of one line
};

/// Groups lines of a set of `ways` ways by bank, by their conflicts. Throws as Session::ask.
[[nodiscard]] MeasuredBanks measure_banks(const Session& session, const EvictionSetting& setting,
                                          const std::vector<std::int64_t>& members, std::int64_t ways);

/// Loads of a few banks, and the length of a cycle.
struct RefreshTrace {
  std::vector<BankLoads> stretches;  ///< by stretch of time, and then by bank
  double cut = 0;                    ///< least wait of a late load
  double seconds_per_cycle = 0;
};
/// Loads lines of the banks that hold most of them. Throws as Session::ask.
[[nodiscard]] RefreshTrace trace_refresh(const Session& session, const EvictionSetting& setting,
                                         const MeasuredBanks& measured, std::int64_t ways);

/// "dram.channel.banks", "dram.bank_conflict_penalty", "dram.refresh.period" and "dram.refresh.duration".
void find_banks(const Session& session, const EvictionSetting& setting, const SetMembers& members, std::int64_t ways);
/// Says why none of these is known.
void leave_banks_open(const Session& session, const std::string& reason);

}  // namespace tomograph::data_cache

#endif
