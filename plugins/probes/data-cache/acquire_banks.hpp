#ifndef TOMOGRAPH_DATA_CACHE_ACQUIRE_BANKS_HPP
#define TOMOGRAPH_DATA_CACHE_ACQUIRE_BANKS_HPP

#include <cstdint>
#include <optional>
#include <vector>

#include "acquire_l2_sets.hpp"
#include "analysis_banks.hpp"
#include "analysis_refresh.hpp"

/// The banks of the memory behind one channel. Lines of one set of L2 share a channel. tomograph.l2_loads/1 makes each
/// load miss. All functions throw as Session::ask.
namespace tomograph::data_cache {

/// Lines, and what a miss of each takes by itself.
struct TimedLines {
  std::vector<std::int64_t> lines;
  std::vector<double> alone;  ///< cycles, by line: the lower quartile, which refreshes do not change
  UsualLatency beyond = {};   ///< what loads take beyond that
};
/// Times so many misses of each line. There is at least one line.
[[nodiscard]] TimedLines time_misses(const Session& session, const EvictionSetting& setting,
                                     const std::vector<std::int64_t>& lines, std::size_t rounds);
/// Those of the lines that take from `least` to `most`.
[[nodiscard]] TimedLines within(const TimedLines& timed, double least, double most);

/// Finds which of the pairs of `search` conflict: both lie in one bank, but not in one row. What counts is by how much
/// a pair takes longer than its slower line alone.
[[nodiscard]] ConflictSearch conflicts_of(const Session& session, const EvictionSetting& setting,
                                          const TimedLines& timed, ConflictSearch search);

/// What the loads of one set's lines tell.
struct MeasuredBanks {
  std::vector<std::int64_t> lines;  ///< of one channel
  Banks banks;                      ///< numbers of these
  std::vector<double> penalties;    ///< cycles that each conflict adds to the latency of one line
  double deviation = 0;             ///< standard, of pairs that do not conflict
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
