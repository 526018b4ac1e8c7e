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

/// What the loads of one set's lines tell.
struct MeasuredBanks {
  std::vector<std::int64_t> lines;  ///< of one channel
  std::vector<double> alone;        ///< by line: cycles that its miss takes by itself
  Banks banks;                      ///< numbers of these
  std::vector<double> penalties;    ///< by bank, without those of one line: cycles that conflicts add to a latency
  double deviation = 0;             ///< standard, of pairs that do not conflict

  /// Whether conflicts delay by so many of these deviations.
  [[nodiscard]] bool exceeds(double deviations) const;
};
/// In which order lines are loaded again and again. In turn, each has as many loads; but where a turn takes about as
/// long as a period of refreshes, the loads of a line meet all of them or none.
enum class Order { in_turn, random };
/// How often lines are loaded alone, which tells the latency of their misses, and each pair in a trial, of which the
/// median counts.
struct Repetitions {
  std::size_t of_lines = 16;
  Order order = Order::in_turn;  ///< of lines alone
  std::size_t of_pairs = 1;
};
/// Groups lines of a set by bank, by their conflicts. Of lines behind two partitions, the nearer ones; of more than one
/// experiment may load, the first. There is at least one.
[[nodiscard]] MeasuredBanks measure_banks(const Session& session, const EvictionSetting& setting,
                                          const std::vector<std::int64_t>& members, const Repetitions& repetitions);

/// The lines of two sets as those of one, if they share a channel, but few rows. Nothing also if there are more lines
/// than one experiment may load.
[[nodiscard]] std::optional<MeasuredBanks> join_sets(const Session& session, const EvictionSetting& setting,
                                                     const MeasuredBanks& one, const MeasuredBanks& other,
                                                     const Repetitions& repetitions);

/// Loads of a few banks, and the length of a cycle.
struct RefreshTrace {
  std::vector<BankLoads> stretches;  ///< by stretch of time, and then by bank
  double cut = 0;                    ///< least wait of a late load
  double seconds_per_cycle = 0;
};
/// Loads a line of each of a few banks again and again.
[[nodiscard]] RefreshTrace trace_refresh(const Session& session, const EvictionSetting& setting,
                                         const MeasuredBanks& measured, Order order);

}  // namespace tomograph::data_cache

#endif
