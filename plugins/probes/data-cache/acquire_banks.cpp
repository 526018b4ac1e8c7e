#include "acquire_banks.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <random>
#include <set>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::data_cache {

namespace {

using l2_lines::Loads;

/// The share of the pairs between two sets that must conflict. Lines of neighbouring sets may lie in one row, so that
/// the second set tells no more than the first. A choice.
constexpr double least_apart = 0.8;
/// A channel of 64 banks shows all of them by so many lines in 98 of 100 cases (64 e^-8 are left out).
constexpr std::size_t most_joined_lines = 512;
/// Standard deviations of one load by which lines of one channel differ at most. Lower quartiles of so many loads
/// scatter by a third of one.
constexpr double most_deviations_of_lines = 1.5;
/// Cycles of rest before two lines are loaded: about a tenth of a load, so that pairs do not fall into step with the
/// memory.
constexpr std::int64_t rest_of_pairs = 64;
/// Deviations above the median at which a pair is late. Noise alone makes one in 700 late, so that three trials leave
/// few pairs, and conflicts of twice as many deviations are fast in 1.4 of 1000 trials.
constexpr double late_for_certain = 3;
/// Where conflicts delay by less, too many are overlooked. Then one pair in 15 is late by noise, which takes more
/// trials.
constexpr double rather_late = 1.5;
/// Loads by which a refresh is sought, and in how many stretches of time. Of an H200's, one in eight is late, which
/// makes 4000 events. In a stretch of 4 ms, its clock does not drift by a period.
constexpr std::size_t traced_loads = 4096;
constexpr std::int64_t stretches = 8;
/// Banks that are traced. Each has a phase of its own, for which it needs some events.
constexpr std::size_t traced_banks = 8;
/// Deviations above the median at which one of them is late: noise alone makes 3 in ten million late.
constexpr double late_deviations_of_trace = 5;
/// Their rest, about as long as a load, so that they come at any time of a period.
constexpr std::int64_t rest_of_trace = 1024;

Loads loads_for(const EvictionSetting& setting) {
  Loads program;
  program.memory = setting.memory;
  program.sm = setting.sms.front();
  return program;
}

/// Lines of which one experiment may load all pairs.
std::size_t most_lines(const Repetitions& repetitions) {
  constexpr double most_loads = 1 << 20;  // tomograph.l2_loads/1
  return static_cast<std::size_t>(std::sqrt(most_loads / static_cast<double>(repetitions.of_pairs)));
}

/// Lines, and what a miss of each takes by itself.
struct TimedLines {
  std::vector<std::int64_t> lines;
  std::vector<double> alone;  ///< cycles, by line: the lower quartile, which refreshes do not change
  std::vector<double> usual;  ///< cycles, by line: the median
  UsualLatency beyond = {};   ///< what loads take beyond that
};

/// By how much each pair takes longer than its slower line, the median of so many loads, in an order of the trial's
/// own. In every other trial the second line goes first.
std::vector<double> delays_of(const Session& session, const EvictionSetting& setting, const TimedLines& timed,
                              const std::vector<LinePair>& pairs, std::size_t loads, std::int64_t trial) {
  Loads program = loads_for(setting);
  program.width = 2;
  program.rest = rest_of_pairs;
  program.trial = trial;
  std::vector<std::size_t> order(pairs.size() * loads);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(static_cast<std::uint64_t>(trial) + 1);
  std::ranges::shuffle(order, random);
  for (const std::size_t load : order) {
    const auto [one, other] = pairs[load / loads];
    const bool turned = trial % 2 != 0;
    program.lines.push_back(timed.lines[turned ? other : one]);
    program.lines.push_back(timed.lines[turned ? one : other]);
  }
  const auto result = session.ask(program);
  std::vector<double> latencies(order.size());  // by pair, then by its loads
  for (std::size_t step = 0; step < order.size(); ++step) latencies[order[step]] = result.latency[step];
  std::vector<double> delays;
  for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
    const auto [one, other] = pairs[pair];
    const auto own = std::span(latencies).subspan(pair * loads, loads);
    delays.push_back(analysis::median_in_place(own) - std::max(timed.alone[one], timed.alone[other]));
  }
  return delays;
}

/// All of so many numbers, once.
std::vector<std::size_t> round_of(std::size_t count, Order order, std::size_t seed) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  std::mt19937_64 random(seed);
  if (order == Order::random) std::ranges::shuffle(numbers, random);
  return numbers;
}

/// Times the misses of each line. There is at least one line.
TimedLines time_misses(const Session& session, const EvictionSetting& setting, const std::vector<std::int64_t>& lines,
                       const Repetitions& repetitions) {
  Loads program = loads_for(setting);
  program.rest = rest_of_pairs;
  std::vector<std::size_t> order;
  for (std::size_t round = 0; round < repetitions.of_lines; ++round) {
    const auto next = round_of(lines.size(), repetitions.order, round);
    order.insert(order.end(), next.begin(), next.end());
  }
  for (const std::size_t line : order) program.lines.push_back(lines[line]);
  const auto result = session.ask(program);
  std::vector<std::vector<double>> latencies(lines.size());
  for (std::size_t i = 0; i < order.size(); ++i) latencies[order[i]].push_back(result.latency[i]);
  TimedLines timed{.lines = lines, .alone = {}, .usual = {}};
  std::vector<double> differences;
  for (const auto& own : latencies) {
    timed.alone.push_back(analysis::quantile(own, undelayed));
    timed.usual.push_back(analysis::median(own));
    for (const double latency : own) differences.push_back(latency - timed.alone.back());
  }
  timed.beyond = usual_latency(differences);
  return timed;
}

/// Those of the lines that take no longer than `most`.
TimedLines within(const TimedLines& timed, double most) {
  TimedLines found{.lines = {}, .alone = {}, .usual = {}, .beyond = timed.beyond};
  for (std::size_t line = 0; line < timed.lines.size(); ++line) {
    if (timed.alone[line] > most) continue;
    found.lines.push_back(timed.lines[line]);
    found.alone.push_back(timed.alone[line]);
    found.usual.push_back(timed.usual[line]);
  }
  return found;
}

/// Finds which pairs conflict: both lines lie in one bank, but not in one row. Its trials begin with `first_trial`.
ConflictSearch conflicts_of(const Session& session, const EvictionSetting& setting, const TimedLines& timed,
                            std::vector<LinePair> pairs, std::size_t loads, double late_deviations,
                            std::int64_t first_trial) {
  ConflictSearch search(std::move(pairs), late_deviations);
  while (!search.done()) {
    search.add(delays_of(session, setting, timed, search.suspects(), loads, first_trial + search.tried()));
  }
  return search;
}

/// By bank that holds several lines: what its conflicts add. Of two lines that conflict the one that is loaded second
/// waits, in half of the trials either.
std::vector<double> penalties_of(const ConflictSearch& search, const TimedLines& timed, const Banks& banks) {
  std::vector<std::vector<double>> delays(banks.lines.size());
  const auto medians = search.medians();
  for (std::size_t pair = 0; pair < medians.size(); ++pair) {
    const auto [one, other] = search.suspects()[pair];
    const double latency = medians[pair] + std::max(timed.alone[one], timed.alone[other]);
    delays[banks.holding(one)].push_back(latency - (timed.usual[one] + timed.usual[other]) / 2);
  }
  std::vector<double> penalties;
  for (const auto& of_bank : delays) {
    if (!of_bank.empty()) penalties.push_back(analysis::median(of_bank));
  }
  return penalties;
}

/// A line, by its number, of each of the banks that hold most lines. A line alone in its group may be one of another
/// channel.
std::vector<std::size_t> lines_of_largest(const MeasuredBanks& measured) {
  std::vector<std::vector<std::size_t>> banks = measured.banks.lines;
  std::ranges::stable_sort(banks, std::ranges::greater{}, &std::vector<std::size_t>::size);
  banks.resize(std::min(traced_banks, banks.size()));
  std::vector<std::size_t> lines;
  for (const auto& bank : banks) lines.push_back(bank.front());
  return lines;
}

/// Which of so many banks each load of a trace comes to.
std::vector<std::size_t> banks_in(Order order, std::size_t banks) {
  std::vector<std::size_t> of_loads;
  std::mt19937_64 random(1);
  for (std::size_t i = 0; i < traced_loads; ++i) {
    of_loads.push_back((order == Order::in_turn ? i : random()) % banks);
  }
  return of_loads;
}

/// Whether lines of a few banks of one set conflict with lines of another, which sets of different channels never do.
/// One pair may be late by chance. Of as many lines as banks, two of eight banks hold some in 99.5 of 100 cases.
bool may_share_channel(const Session& session, const EvictionSetting& setting, const MeasuredBanks& one,
                       const MeasuredBanks& other, const Repetitions& repetitions) {
  TimedLines timed{.lines = one.lines, .alone = one.alone, .usual = {}};
  timed.lines.insert(timed.lines.end(), other.lines.begin(), other.lines.end());
  timed.alone.insert(timed.alone.end(), other.alone.begin(), other.alone.end());
  std::vector<LinePair> pairs;
  for (const std::size_t line : lines_of_largest(one)) {
    for (std::size_t i = one.lines.size(); i < timed.lines.size(); ++i) {
      if (timed.lines[i] != timed.lines[line]) pairs.emplace_back(line, i);
    }
  }
  const ConflictSearch search =
      conflicts_of(session, setting, timed, std::move(pairs), repetitions.of_pairs, rather_late, 0);
  std::set<std::size_t> conflicting;
  for (const auto& [bank, line] : search.suspects()) conflicting.insert(bank);
  return conflicting.size() >= 2;
}

}  // namespace

MeasuredBanks measure_banks(const Session& session, const EvictionSetting& setting,
                            const std::vector<std::int64_t>& members, const Repetitions& repetitions) {
  std::vector<std::int64_t> lines = members;
  lines.resize(std::min(lines.size(), most_lines(repetitions)));
  const TimedLines timed = time_misses(session, setting, lines, repetitions);
  const TimedLines near =
      within(timed, analysis::quantile(timed.alone, 0.25) + most_deviations_of_lines * timed.beyond.deviation);
  const auto measure = [&](double late_deviations, std::int64_t first_trial) -> MeasuredBanks {
    const ConflictSearch search = conflicts_of(session, setting, near, all_pairs(near.lines.size()),
                                               repetitions.of_pairs, late_deviations, first_trial);
    const Banks banks = group_by_bank(search.suspects(), near.lines.size());
    return {near.lines, near.alone, banks, penalties_of(search, near, banks), search.usual().deviation};
  };
  MeasuredBanks found = measure(late_for_certain, 0);
  if (!found.exceeds(2 * late_for_certain)) found = measure(rather_late, ConflictSearch::trials);
  return found;
}

std::optional<MeasuredBanks> join_sets(const Session& session, const EvictionSetting& setting, const MeasuredBanks& one,
                                       const MeasuredBanks& other, const Repetitions& repetitions) {
  std::vector<std::int64_t> lines;
  std::ranges::set_union(one.lines, other.lines, std::back_inserter(lines));
  if (lines.size() > std::min(most_joined_lines, most_lines(repetitions))) return std::nullopt;
  if (!may_share_channel(session, setting, one, other, repetitions)) return std::nullopt;
  MeasuredBanks both = measure_banks(session, setting, lines, repetitions);
  std::vector<bool> of_one;
  for (const std::int64_t line : both.lines) of_one.push_back(std::ranges::binary_search(one.lines, line));
  const CommonBanks common = common_banks(both.banks, of_one);
  // Sets of different channels have none in common.
  const bool same_channel = 2 * common.banks > std::min(one.banks.lines.size(), other.banks.lines.size());
  const bool apart = static_cast<double>(common.conflicts) >= least_apart * static_cast<double>(common.pairs);
  if (!same_channel || !apart) return std::nullopt;
  return both;
}

bool MeasuredBanks::exceeds(double deviations) const {
  return !penalties.empty() && analysis::median(penalties) >= deviations * deviation;
}

RefreshTrace trace_refresh(const Session& session, const EvictionSetting& setting, const MeasuredBanks& measured,
                           Order order) {
  const std::vector<std::size_t> lines = lines_of_largest(measured);
  const std::size_t traced = lines.size();
  const std::vector<std::size_t> banks_of_loads = banks_in(order, traced);
  std::vector<Loads> programs;
  for (std::int64_t stretch = 0; stretch < stretches; ++stretch) {
    Loads& program = programs.emplace_back(loads_for(setting));
    program.rest = rest_of_trace;
    program.trial = stretch;
    for (const std::size_t bank : banks_of_loads) program.lines.push_back(measured.lines[lines[bank]]);
  }
  const auto results = session.ask(programs);
  std::vector<double> latencies;
  double seconds = 0;
  double cycles = 0;
  for (const auto& result : results) {
    latencies.insert(latencies.end(), result.latency.begin(), result.latency.end());
    seconds += result.seconds;
    cycles += static_cast<double>(result.cycles);
  }
  const UsualLatency usual = usual_latency(latencies);
  RefreshTrace trace{.stretches = {},
                     .cut = usual.late(late_deviations_of_trace) - usual.median,
                     .seconds_per_cycle = seconds / cycles};
  for (const auto& result : results) {
    std::vector<BankLoads> banks(traced);
    for (std::size_t i = 0; i < result.start.size(); ++i) {
      const double wait = result.latency[i] - usual.median;
      BankLoads& own = banks[banks_of_loads[i]];
      own.start.push_back(static_cast<double>(result.start[i]));
      own.wait.push_back(wait > trace.cut ? wait : 0);
    }
    trace.stretches.insert(trace.stretches.end(), banks.begin(), banks.end());
  }
  return trace;
}

}  // namespace tomograph::data_cache
