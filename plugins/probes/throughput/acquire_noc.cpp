#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "acquire_reads.hpp"
#include "acquire_streaming.hpp"
#include "analysis_noc.hpp"
#include "publish.hpp"
#include "questions.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::throughput {

namespace {

constexpr const char* total_key = "noc.bandwidth";
constexpr const char* groups_key = "noc.bandwidth_by_group";
constexpr const char* sm_key = "noc.bandwidth_per_sm";
constexpr const char* curve_key = "noc.bandwidth_by_sms";

Fact fact_of(const char* key, const Rates& rates, double unit) {
  const auto interval = analysis::median_interval(rates.repetitions, confidence::throughput::interval);
  return {.key = key,
          .value = rates.median() * unit,
          .method = "streaming-by-sms",
          .confidence = interval.coverage - systematic_error,
          .interval = Interval{interval.low * unit, interval.high * unit},
          .samples = rates.repetitions.size(),
          .evidence = curve_key};
}

/// One SM, two, and so on up to all of them; of more than 32 only 1, 2, 4, ... and all.
std::vector<Sms> rising(const Sms& sms) {
  // Groups of today's GPUs have fewer SMs.
  constexpr std::size_t many = 32;
  std::vector<Sms> sets;
  for (std::size_t count = 1; count<sms.size(); count = sms.size()> many ? 2 * count : count + 1) {
    sets.emplace_back(sms.begin(), sms.begin() + static_cast<std::ptrdiff_t>(count));
  }
  sets.push_back(sms);
  return sets;
}

/// Each set of SMs by itself.
void keep_rates(const Session& session, const char* key, const std::vector<Rates>& sets) {
  std::vector<double> sms;
  std::vector<double> medians;
  for (const Rates& rates : sets) {
    sms.push_back(static_cast<double>(rates.sms.size()));
    medians.push_back(rates.median());
  }
  session.evidence(key, std::vector{column("sms", sms), column("bytes_per_cycle", medians)});
}

void publish_groups(const Session& session, const std::vector<Rates>& alone) {
  Value pairs = Value::list();
  Value intervals = Value::list();
  double doubt = systematic_error;  // and that one of the intervals does not cover its rate
  for (const Rates& rates : alone) {
    if (relative_ci(rates.repetitions) > useful_ci)
      return session.inconclusive(groups_key, "repetitions scatter too much");
    const auto interval = analysis::median_interval(rates.repetitions, confidence::throughput::interval);
    pairs.push_back(Value::list(rates.sms.size(), rates.median()));
    intervals.push_back(Value::list(interval.low / from_run_to_run, interval.high * from_run_to_run));
    doubt += 1 - interval.coverage;
  }
  session.publish({.key = groups_key,
                   .value = pairs,
                   .method = "streaming-by-sms",
                   .confidence = 1 - doubt,
                   .samples = alone.size() * alone.front().repetitions.size(),
                   .conditions = {{"pairs", "SMs of a group, bytes per cycle that they read while the others idle"},
                                  {"intervals", std::move(intervals)}},
                   .evidence = groups_key});
}

/// The whole device: the sum of the links of all groups, each measured alone, so that L2 itself limits none.
void publish_total(const Session& session, const std::vector<Rates>& alone, const Rates& one, const Rates& all) {
  if (const auto reason = other_limit(alone, one, all); !reason.empty()) return session.inconclusive(total_key, reason);
  const Rates sum = sum_of(alone, one.clock_hz);
  Fact fact = fact_of(total_key, sum, sum.clock_hz);
  fact.evidence = groups_key;
  fact.conditions = {{"groups", alone.size()},
                     {"all at the same time", std::round(all.median() * all.clock_hz)},
                     {"sm_clock_mhz", std::round(sum.clock_hz / 1e6)}};
  publish_bandwidth(session, fact);
}

}  // namespace

void find_noc(const Session& session) {
  const auto l2 = l2_bytes(session);
  if (!l2) throw Skip("device", "the size of L2 is unknown");
  const Bounds bounds = bounds_of(session);
  const Execute execute = executor(session);
  const auto groups = session.fact<std::vector<Sms>>("constant_l15.sm_groups");
  Sms everyone(static_cast<std::size_t>(bounds.sms));
  std::iota(everyone.begin(), everyone.end(), std::int64_t{0});
  // A third of L2 for all leaves room for the copies of partitions, and for a policy other than LRU.
  const std::int64_t bytes_per_sm = *l2 / 3 / bounds.sms;
  const Sms& largest = groups && !groups->empty() ? *std::ranges::max_element(*groups, {}, &Sms::size) : everyone;
  keep_rates(session, curve_key,
             measure(execute, choose(execute, rising(largest), bytes_per_sm, bounds), choice_repetitions, 1));
  std::vector<Sms> sets{{largest.front()}};
  const bool is_grouped = groups && groups->size() > 1 && largest.size() > 1;
  if (is_grouped) {
    sets.insert(sets.end(), groups->begin(), groups->end());
    sets.push_back(everyone);
  }
  auto alone = measure_until_precise(execute, choose(execute, sets, bytes_per_sm, bounds));
  const Rates one = alone.front();
  publish_bandwidth(session, fact_of(sm_key, one, 1));
  if (!is_grouped) {
    constexpr const char* unknown =
        "it is unknown which SMs share a link to L2: no groups of SMs share a constant cache";
    session.inconclusive(groups_key, unknown);
    return session.inconclusive(total_key, unknown);
  }
  const Rates all = alone.back();
  alone.pop_back();
  alone.erase(alone.begin());
  keep_rates(session, groups_key, alone);
  publish_groups(session, alone);
  publish_total(session, alone, one, all);
}

}  // namespace tomograph::throughput
