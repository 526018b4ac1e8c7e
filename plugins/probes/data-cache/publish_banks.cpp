#include "publish_banks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "analysis_bank_count.hpp"
#include "publish_rows.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/column.hpp"

namespace tomograph::data_cache {

namespace {

constexpr std::array bank_facts{"dram.channel.banks", "dram.bank_conflict_penalty", "dram.refresh.period",
                                "dram.refresh.duration"};
constexpr const char* bank_evidence = "dram.channel.banks";
/// Sets whose lines are grouped at least, so that one disturbed set decides nothing.
constexpr std::size_t least_sets = 3;
/// No further set is grouped once the number of banks is as likely: each takes a twentieth of a second on an H200. A
/// less likely one is not published: of 12 simulated GPUs, 9 had one bank more or less.
constexpr double likely_enough = 0.95;
/// Lines of one row do not conflict. Rows are so many that few lines share one: on an H100 and an H200 more than 0.95
/// of the pairs conflict. Where fewer do, groups may be parts of banks, and those pairs were found that took longest. A
/// choice.
constexpr double least_agreement = 0.8;
/// Where fewer do, lines are timed again. Conflicts were overlooked: most of them those of a line whose own latency was
/// taken for too long, which then seems to be alone in a bank. A choice, which an H100 and an H200 exceed.
constexpr double agreement_of_most = 0.95;
/// Where half of the pairs conflict, lines of a group are still of one bank. A choice.
constexpr double least_agreement_of_banks = 0.5;

/// Standard deviations by which conflicts must delay pairs to be seen: late is what takes 1.5 more than usual, and two
/// more make it so in all but 23 of 1000 trials, of which some may fail.
constexpr double least_deviations = 3.5;

/// An error of a line's latency hides all its conflicts, and joined sets have more lines that it may happen to.
constexpr Repetitions of_joined_sets{.of_lines = 64, .order = Order::random};
/// Where conflicts are hidden by noise, which this many loads halve.
constexpr Repetitions of_hidden_conflicts{.of_lines = 64, .order = Order::random, .of_pairs = 5};

/// Sets are joined until the number of banks is as likely: what they tell together is worth more than what a set does.
constexpr double likely_if_joined = 0.99;

constexpr const char* no_groups = "lines do not fall into groups of which any two conflict";

/// What a further measurement tells; nothing if the device refuses it, as recordings do that were made without it.
template <typename Measure>
auto if_answered(const Measure& measure) -> std::optional<decltype(measure())> {
  try {
    return measure();
  } catch (const Skip&) {
    return std::nullopt;
  }
}

bool are_clear(const std::vector<MeasuredBanks>& sets) {
  return std::ranges::all_of(sets, [](const MeasuredBanks& set) { return set.exceeds(least_deviations); });
}

/// Share of the pairs within groups that conflict; 0 without pairs.
double agreement_of(const std::vector<MeasuredBanks>& sets) {
  double conflicts = 0;
  double pairs = 0;
  for (const MeasuredBanks& set : sets) {
    conflicts += static_cast<double>(set.banks.conflicts.size());
    pairs += static_cast<double>(set.banks.pairs);
  }
  return pairs > 0 ? conflicts / pairs : 0;
}

std::vector<BankSample> samples_of(const std::vector<MeasuredBanks>& sets) {
  std::vector<BankSample> samples;
  for (const MeasuredBanks& set : sets) {
    samples.emplace_back();
    for (const auto& own : set.banks.lines) samples.back().groups.push_back(own.size());
  }
  return samples;
}

/// Pairs of a bank that do not conflict share a row.
std::optional<BankCount> count_banks(const std::vector<MeasuredBanks>& sets) {
  return count_banks(samples_of(sets), 1 - agreement_of(sets));
}

/// Of the most likely number of banks.
double probability_of(const std::vector<MeasuredBanks>& sets) {
  const auto count = count_banks(sets);
  return count ? count->probability : 0;
}

/// Joins sets of one channel until the number of banks is likely: a channel's banks that one set leaves empty hold
/// lines of another. Each set is joined with the first that shares its channel.
std::vector<MeasuredBanks> joined_until_likely(const Session& session, const EvictionSetting& setting,
                                               std::vector<MeasuredBanks> sets, const Repetitions& repetitions) {
  for (std::size_t joined = 0; joined < sets.size(); ++joined) {
    for (std::size_t next = joined + 1; next < sets.size() && probability_of(sets) < likely_if_joined;) {
      auto both = join_sets(session, setting, sets[joined], sets[next], repetitions);
      if (!both) {
        ++next;
        continue;
      }
      sets[joined] = std::move(*both);
      sets.erase(sets.begin() + static_cast<std::ptrdiff_t>(next));
    }
  }
  return sets;
}

/// How many banks hold the lines of each set.
void hand_in(const Session& session, const std::vector<MeasuredBanks>& sets) {
  const auto samples = samples_of(sets);
  session.evidence(bank_evidence,
                   std::vector{column("lines", samples,
                                      [](const BankSample& one) { return static_cast<std::int64_t>(one.lines()); }),
                               column("banks", samples, [](const BankSample& one) { return std::ssize(one.groups); })});
}

void publish_banks(const Session& session, const std::vector<MeasuredBanks>& sets) {
  constexpr const char* key = bank_facts[0];
  const auto count = count_banks(sets);
  if (!count || count->probability < likely_enough) {
    return session.inconclusive(key, "too few lines were measured to tell how many banks they miss");
  }
  session.publish(
      {.key = key,
       .value = count->value,
       .method = "conflicts-of-misses",
       .confidence = count->probability * confidence::cache::sets_confirmed,
       .samples = sets.size(),
       .conditions = {{"lines_of_set", sets.front().lines.size()}, {"conflicting_pairs_in_groups", agreement_of(sets)}},
       .evidence = bank_evidence});
}

/// Six digits are more than a penalty or a refresh is known by. In the last ones, mathematical libraries differ.
double rounded(double value) {
  if (value <= 0) return 0;  // no delay is less
  const double scale = std::pow(10, 5 - std::floor(std::log10(value)));
  return std::round(value * scale) / scale;
}

/// `deviation` is that of single loads.
void publish_penalty(const Session& session, const std::vector<MeasuredBanks>& sets, double deviation) {
  std::vector<double> penalties;
  for (const MeasuredBanks& set : sets) {
    penalties.insert(penalties.end(), set.penalties.begin(), set.penalties.end());
  }
  // A refresh delays more pairs than lines, which raises their medians more: by so many deviations where it delays one
  // pair in four, as on an H100 (normal quantiles of 0.5 / 0.75 and 0.5 / 0.75^(1/2)).
  constexpr double by_refresh = 0.24;
  const auto interval = analysis::median_interval(penalties, confidence::median_interval);
  session.publish({.key = bank_facts[1],
                   .value = analysis::median(penalties),
                   .method = "conflicts-of-misses",
                   .confidence = std::min(interval.coverage, confidence::median_interval),
                   // Latencies are whole cycles.
                   .interval = Interval{rounded(interval.low - 1 - by_refresh * deviation), interval.high + 1},
                   .samples = penalties.size(),
                   .evidence = bank_evidence});
}

/// Loads of a few banks, and what they tell.
struct SeenRefresh {
  RefreshTrace trace;
  std::optional<Refresh> refresh;
};

SeenRefresh seek_refresh(const Session& session, const EvictionSetting& setting, const MeasuredBanks& set) {
  const auto seek = [&](Order order) -> SeenRefresh {
    RefreshTrace trace = trace_refresh(session, setting, set, order);
    const auto refresh = find_refresh(trace.stretches, trace.cut);
    return {std::move(trace), refresh};
  };
  SeenRefresh seen = seek(Order::in_turn);
  if (seen.refresh) return seen;
  return if_answered([&] { return seek(Order::random); }).value_or(std::move(seen));
}

void publish_refresh(const Session& session, const SeenRefresh& seen) {
  const auto& [trace, refresh] = seen;
  const BankLoads& first = trace.stretches.front();
  const auto own = [](auto value) { return value; };
  if (!refresh) {
    session.evidence("dram.refresh", std::vector{column("start", first.start, own), column("wait", first.wait, own)});
    session.inconclusive(bank_facts[2], "late loads of a bank follow no period");
    return session.inconclusive(bank_facts[3], "late loads of a bank follow no period");
  }
  const double second = trace.seconds_per_cycle;
  std::vector<double> phases;
  for (const double start : first.start)
    phases.push_back(start / refresh->period - std::floor(start / refresh->period));
  session.evidence("dram.refresh", std::vector{column("phase", phases, own), column("wait", first.wait, own)});
  const auto interval = [&](const analysis::Interval& cycles) {
    return Interval{rounded(cycles.low * second), rounded(cycles.high * second)};
  };
  session.publish(
      {.key = bank_facts[2],
       .value = rounded(refresh->period * second),
       .method = "periodogram-of-late-loads",
       .confidence = confidence::cache::refresh,
       .interval = interval(refresh->period_interval),
       .samples = refresh->late,
       .conditions = {{"stretches", trace.stretches.size()}, {"concentration", rounded(refresh->concentration)}},
       .evidence = "dram.refresh"});
  if (refresh->duration == 0) {
    return session.inconclusive(bank_facts[3],
                                "the longest wait and the time from which on loads are late tell different durations");
  }
  session.publish({.key = bank_facts[3],
                   .value = rounded(refresh->duration * second),
                   .method = "edge-of-late-loads",
                   .confidence = confidence::cache::refresh,
                   .interval = interval(refresh->duration_interval),
                   .samples = refresh->late,
                   .evidence = "dram.refresh"});
}

/// The banks of sets, until their number is likely or no two lines of a set conflict.
std::vector<MeasuredBanks> measure_sets(const Session& session, const EvictionSetting& setting,
                                        const SetMembers& members, const Repetitions& repetitions) {
  std::vector<MeasuredBanks> sets;
  for (const auto& lines : members.lines) {
    if (lines.empty()) continue;
    if (sets.size() >= least_sets && count_banks(sets)->probability > likely_enough) break;
    sets.push_back(measure_banks(session, setting, lines, repetitions));
    if (sets.back().penalties.empty()) break;
  }
  return sets;
}

/// Why the groups of these sets may not be banks. Otherwise only the longest conflicts were found.
const char* doubt_about(const std::vector<MeasuredBanks>& sets) {
  if (agreement_of(sets) < least_agreement) return no_groups;
  return are_clear(sets) ? nullptr : "conflicts delay loads by little more than noise does";
}

/// The sets by other experiments if these leave in doubt what banks are, or how many there are. If lines were timed
/// again, that counts, even if it leaves more doubt.
std::vector<MeasuredBanks> made_certain(const Session& session, const EvictionSetting& setting,
                                        const SetMembers& members, std::vector<MeasuredBanks> sets) {
  const bool hidden = agreement_of(sets) < agreement_of_most || doubt_about(sets) != nullptr;
  const Repetitions repetitions = hidden ? of_hidden_conflicts : of_joined_sets;
  if (hidden) {
    auto again = if_answered([&] { return measure_sets(session, setting, members, repetitions); });
    if (!again) return sets;
    sets = std::move(*again);
    if (doubt_about(sets) != nullptr) return sets;
  }
  if (probability_of(sets) >= likely_enough) return sets;
  return if_answered([&] { return joined_until_likely(session, setting, sets, repetitions); }).value_or(sets);
}

void measure_and_publish(const Session& session, const EvictionSetting& setting, const SetMembers& members) {
  const auto first = measure_sets(session, setting, members, {});
  if (first.empty()) return leave_banks_open(session, "no lines of a set are known");
  if (first.back().penalties.empty()) return leave_banks_open(session, "no two misses of a set delay each other");
  if (agreement_of(first) < least_agreement_of_banks) return leave_banks_open(session, no_groups);
  const SeenRefresh refresh = seek_refresh(session, setting, first.front());
  const auto sets = made_certain(session, setting, members, first);
  hand_in(session, sets);
  publish_refresh(session, refresh);
  if (const char* const doubt = doubt_about(sets)) {
    session.inconclusive(bank_facts[0], doubt);
    session.inconclusive(bank_facts[1], doubt);
    return leave_rows_open(session, doubt);
  }
  publish_banks(session, sets);
  publish_penalty(session, sets, std::ranges::max(first, {}, &MeasuredBanks::deviation).deviation);
  find_rows(session, setting, sets.front());
}

}  // namespace

void leave_banks_open(const Session& session, const std::string& reason) {
  for (const char* key : bank_facts) session.inconclusive(key, reason);
  leave_rows_open(session, reason);
}

void find_banks(const Session& session, const EvictionSetting& setting, const SetMembers& members) {
  try {
    measure_and_publish(session, setting, members);
  } catch (const Skip& unsupported) {
    leave_banks_open(session, unsupported.what());
  }
}

}  // namespace tomograph::data_cache
