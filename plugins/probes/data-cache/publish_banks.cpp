#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "acquire_banks.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/column.hpp"

namespace tomograph::data_cache {

namespace {

constexpr std::array bank_facts{"dram.channel.banks", "dram.bank_conflict_penalty", "dram.refresh.period",
                                "dram.refresh.duration"};
constexpr const char* bank_evidence = "dram.channel.banks";
/// Sets whose lines are grouped. With six of an H200, whose lines leave one bank of 32 empty in each third set, the
/// number of banks is known but for one case in a hundred.
constexpr std::size_t grouped_sets = 6;
/// Lines of one row do not conflict. Rows are so many that few lines share one: on an H100 and an H200 more than 0.95
/// of the pairs conflict. A choice.
constexpr double least_agreement = 0.8;

void publish_banks(const Session& session, const std::vector<MeasuredBanks>& sets) {
  constexpr const char* key = bank_facts[0];
  std::vector<BankSample> samples;
  std::vector<std::int64_t> lines;
  std::vector<std::int64_t> banks;
  double agreement = 1;
  for (const MeasuredBanks& set : sets) {
    samples.push_back({set.lines.size(), set.banks.lines.size()});
    lines.push_back(std::ssize(set.lines));
    banks.push_back(std::ssize(set.banks.lines));
    agreement = std::min(agreement, set.banks.agreement);
  }
  const auto own = [](auto value) { return value; };
  session.evidence(bank_evidence, std::vector{column("lines", lines, own), column("banks", banks, own)});
  const auto count = count_banks(samples);
  if (agreement < least_agreement) {
    return session.inconclusive(key, "lines do not fall into groups of which any two conflict");
  }
  if (!count || count->probability < confidence::unverified) {
    return session.inconclusive(key, "too few lines to tell how many banks hold none");
  }
  session.publish({.key = key,
                   .value = count->value,
                   .method = "conflicts-of-misses",
                   .confidence = count->probability * confidence::cache::sets_confirmed,
                   .samples = sets.size(),
                   .conditions = {{"lines_of_set", lines.front()}, {"conflicting_pairs_in_groups", agreement}},
                   .evidence = bank_evidence});
}

void publish_penalty(const Session& session, const std::vector<MeasuredBanks>& sets) {
  std::vector<double> penalties;
  for (const MeasuredBanks& set : sets) {
    penalties.insert(penalties.end(), set.penalties.begin(), set.penalties.end());
  }
  const auto interval = analysis::median_interval(penalties, confidence::median_interval);
  session.publish({.key = bank_facts[1],
                   .value = analysis::median(penalties),
                   .method = "conflicts-of-misses",
                   .confidence = confidence::median_interval,
                   // Latencies are whole cycles.
                   .interval = Interval{interval.low - 1, interval.high + 1},
                   .samples = penalties.size(),
                   .evidence = bank_evidence});
}

void publish_refresh(const Session& session, const RefreshTrace& trace) {
  const auto refresh = find_refresh(trace.stretches, trace.cut);
  if (!refresh) {
    session.inconclusive(bank_facts[2], "late loads of a bank follow no period");
    return session.inconclusive(bank_facts[3], "late loads of a bank follow no period");
  }
  const double second = trace.seconds_per_cycle;
  const BankLoads& first = trace.stretches.front();
  std::vector<double> phases;
  std::vector<double> waits;
  for (std::size_t i = 0; i < first.start.size(); ++i) {
    const double turns = first.start[i] / refresh->period;
    phases.push_back(turns - std::floor(turns));
    waits.push_back(first.wait[i]);
  }
  const auto own = [](auto value) { return value; };
  session.evidence("dram.refresh", std::vector{column("phase", phases, own), column("wait", waits, own)});
  const auto interval = [&](const analysis::Interval& cycles) {
    return Interval{cycles.low * second, cycles.high * second};
  };
  session.publish({.key = bank_facts[2],
                   .value = refresh->period * second,
                   .method = "periodogram-of-late-loads",
                   .confidence = confidence::cache::sets_confirmed,
                   .interval = interval(refresh->period_interval),
                   .samples = refresh->late,
                   .conditions = {{"stretches", trace.stretches.size()}, {"concentration", refresh->concentration}},
                   .evidence = "dram.refresh"});
  if (refresh->duration == 0) {
    return session.inconclusive(bank_facts[3], "the longest wait and the share of late loads tell different durations");
  }
  session.publish({.key = bank_facts[3],
                   .value = refresh->duration * second,
                   .method = "waits-of-late-loads",
                   .confidence = confidence::cache::sets_unsettled,
                   .interval = interval(refresh->duration_interval),
                   .samples = refresh->late,
                   .evidence = "dram.refresh"});
}

void measure_and_publish(const Session& session, const EvictionSetting& setting, const SetMembers& members,
                         std::int64_t ways) {
  std::vector<MeasuredBanks> sets;
  for (std::size_t set = 0; set < std::min(members.lines.size(), grouped_sets); ++set) {
    sets.push_back(measure_banks(session, setting, members.lines[set], ways));
    if (sets.back().banks.lines.empty()) return leave_banks_open(session, "too few lines of a set miss");
    if (sets.back().penalties.empty()) return leave_banks_open(session, "no two misses of a set delay each other");
  }
  if (sets.empty()) return leave_banks_open(session, "no lines of a set are known");
  publish_banks(session, sets);
  publish_penalty(session, sets);
  publish_refresh(session, trace_refresh(session, setting, sets.front(), ways));
}

}  // namespace

void leave_banks_open(const Session& session, const std::string& reason) {
  for (const char* key : bank_facts) session.inconclusive(key, reason);
}

void find_banks(const Session& session, const EvictionSetting& setting, const SetMembers& members, std::int64_t ways) {
  try {
    measure_and_publish(session, setting, members, ways);
  } catch (const Skip& unsupported) {
    leave_banks_open(session, unsupported.what());
  }
}

}  // namespace tomograph::data_cache
