#include "acquire_banks.hpp"

#include <algorithm>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::data_cache {

namespace {

using l2_lines::Loads;

/// Times that all lines are loaded to tell those that miss.
constexpr std::size_t rounds_of_lines = 8;
/// Trials of a pair. A refresh delays one load in four of an H100's pairs, and eleven of twelve trials
/// with a probability of 2e-6.
constexpr std::int64_t trials_of_pair = 12;
/// Cycles of rest before two lines are loaded: about a tenth of a load, so that pairs do not fall into step with the
/// memory.
constexpr std::int64_t rest_of_pairs = 64;
/// Loads by which a refresh is sought, and in how many stretches of time. Of an H200's, one in eight is late, which
/// makes 4000 events. In a stretch of 4 ms, its clock does not drift by a period.
constexpr std::size_t traced_loads = 4096;
constexpr std::int64_t stretches = 8;
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

/// Lines that memory serves when all are loaded in turn.
struct Missing {
  std::vector<std::int64_t> lines;
  double latency = 0;  ///< median of their loads
};
Missing missing(const Session& session, const EvictionSetting& setting, const std::vector<std::int64_t>& lines) {
  Loads program = loads_for(setting);
  for (std::size_t round = 0; round < rounds_of_lines; ++round) {
    program.lines.insert(program.lines.end(), lines.begin(), lines.end());
  }
  const auto result = session.ask(program);
  Missing found;
  std::vector<double> all;
  for (std::size_t line = 0; line < lines.size(); ++line) {
    std::vector<double> latencies;  // but for the first round, in which any line may miss
    for (std::size_t i = lines.size() + line; i < result.latency.size(); i += lines.size()) {
      latencies.push_back(result.latency[i]);
    }
    if (analysis::quantile(latencies, 0.1) <= static_cast<double>(setting.limit)) continue;
    found.lines.push_back(lines[line]);
    all.insert(all.end(), latencies.begin(), latencies.end());
  }
  if (!all.empty()) found.latency = analysis::median(all);
  return found;
}

std::vector<double> latencies_of(const Session& session, const EvictionSetting& setting,
                                 const std::vector<std::int64_t>& lines, const SpacedPairs& order, std::int64_t trial) {
  Loads program = loads_for(setting);
  program.width = 2;
  program.rest = rest_of_pairs;
  program.trial = trial;
  for (const auto& [one, other] : order.pairs) {
    const bool turned = trial % 2 != 0;
    program.lines.push_back(lines[turned ? other : one]);
    program.lines.push_back(lines[turned ? one : other]);
  }
  const auto result = session.ask(program);
  std::vector<double> latencies;
  for (const std::size_t place : order.place) latencies.push_back(result.latency[place]);
  return latencies;
}

/// The banks that hold most lines, as few as overflow a set.
std::vector<std::size_t> largest(const Banks& banks, std::int64_t ways) {
  std::vector<std::size_t> order(banks.lines.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t bank) { return banks.lines[bank].size(); });
  std::size_t lines = 0;
  std::size_t count = 0;
  while (count < order.size() && lines < static_cast<std::size_t>(ways + ways / 4)) {
    lines += banks.lines[order[count++]].size();
  }
  order.resize(count);
  return order;
}

}  // namespace

MeasuredBanks measure_banks(const Session& session, const EvictionSetting& setting,
                            const std::vector<std::int64_t>& members, std::int64_t ways) {
  MeasuredBanks measured;
  const Missing missed = missing(session, setting, members);
  measured.lines = missed.lines;
  // Four times as many other lines as ways come between: tree-PLRU, too, has evicted a line by then.
  const auto apart = 2 * static_cast<std::size_t>(ways);
  if (measured.lines.size() < 3 * apart) return measured;
  ConflictSearch search(measured.lines.size());
  for (std::int64_t trial = 0; trial < trials_of_pair && !search.suspects().empty(); ++trial) {
    const SpacedPairs order =
        spaced(search.suspects(), measured.lines.size(), apart, static_cast<std::uint64_t>(trial) + 1);
    search.add(latencies_of(session, setting, measured.lines, order, trial));
  }
  measured.banks = group_by_bank(search.suspects(), measured.lines.size());
  for (const double latency : search.medians()) measured.penalties.push_back(latency - missed.latency);
  return measured;
}

RefreshTrace trace_refresh(const Session& session, const EvictionSetting& setting, const MeasuredBanks& measured,
                           std::int64_t ways) {
  const auto chosen = largest(measured.banks, ways);
  std::vector<std::int64_t> lines;
  std::vector<std::size_t> bank_of;  // by line
  for (std::size_t bank = 0; bank < chosen.size(); ++bank) {
    for (const std::size_t line : measured.banks.lines[chosen[bank]]) {
      lines.push_back(measured.lines[line]);
      bank_of.push_back(bank);
    }
  }
  std::vector<Loads> programs;
  for (std::int64_t stretch = 0; stretch < stretches; ++stretch) {
    Loads& program = programs.emplace_back(loads_for(setting));
    program.rest = rest_of_trace;
    program.trial = stretch;
    for (std::size_t i = 0; i < traced_loads; ++i) program.lines.push_back(lines[i % lines.size()]);
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
    std::vector<BankLoads> banks(chosen.size());
    for (std::size_t i = lines.size(); i < result.start.size(); ++i) {
      BankLoads& bank = banks[bank_of[i % lines.size()]];
      const double wait = result.latency[i] - usual.median;
      bank.start.push_back(static_cast<double>(result.start[i]));
      bank.wait.push_back(wait > trace.cut ? wait : 0);
    }
    trace.stretches.insert(trace.stretches.end(), banks.begin(), banks.end());
  }
  return trace;
}

}  // namespace tomograph::data_cache
