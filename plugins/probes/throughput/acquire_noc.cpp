#include <algorithm>
#include <cmath>
#include <numeric>

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

/// Repetitions of each shape. The better shape is then measured again, so that the choice favours no lucky run.
constexpr std::int64_t choice_repetitions = 2;
/// So many passes that the start and the end of a program do not count. Chosen on an H200.
constexpr std::int64_t passes = 24;

/// The sum of the rates of all SMs, each over its own time. SMs that end sooner do not leave the others more than they
/// had before, if each group has a link of its own.
double sum_of_rates(const streaming::Result& result) {
  const auto rates = result.bytes_per_cycle();
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

/// Loads that keep the link of an SM busy, whatever the latency, in two shapes.
std::vector<streaming::Program> shapes(std::int64_t bytes_per_sm, const Bounds& bounds) {
  std::vector<streaming::Program> programs;
  for (const std::int64_t threads : {256, 512}) {
    programs.push_back(
        {.ilp = 4,
         .threads = threads,
         .ctas_per_sm = std::max<std::int64_t>(std::min<std::int64_t>(bounds.threads_per_sm, 1024) / threads, 1),
         .bytes = bytes_per_sm,
         .distribution = streaming::Distribution::sliced,
         .warm_passes = 2,
         .passes = passes});
  }
  return programs;
}

/// SMs with the loads that they issue.
struct Load {
  Sms sms;
  streaming::Program program;
};

/// Measures each of `loads` `count` times, in turn.
std::vector<Rates> measure(const Execute& execute, const std::vector<Load>& loads, std::int64_t first_trial,
                           std::int64_t count) {
  std::vector<streaming::Program> batch;
  for (std::int64_t run = 0; run < count; ++run) {
    for (const Load& load : loads) {
      batch.push_back(load.program);
      batch.back().trial = first_trial + run;
    }
  }
  const auto results = execute(batch);
  std::vector<Rates> measured;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    Rates one{.sms = loads[i].sms};
    for (std::size_t k = i; k < results.size(); k += loads.size()) {
      one.repetitions.push_back(sum_of_rates(results[k]));
      one.clock_hz = results[k].clock_hz;
    }
    measured.push_back(std::move(one));
  }
  return measured;
}

/// Each of `sets` with its better shape.
std::vector<Load> choose(const Execute& execute, const std::vector<Sms>& sets, std::int64_t bytes_per_sm,
                         const Bounds& bounds) {
  std::vector<Load> loads;
  for (const Sms& sms : sets) {
    for (streaming::Program program : shapes(bytes_per_sm, bounds)) {
      program.bytes *= static_cast<std::int64_t>(sms.size());
      program.sms = sms;
      loads.push_back({sms, std::move(program)});
    }
  }
  const auto measured = measure(execute, loads, 0, choice_repetitions);
  const std::size_t of_a_set = loads.size() / sets.size();
  std::vector<Load> chosen;
  for (std::size_t set = 0; set < sets.size(); ++set) {
    const auto begin = measured.begin() + static_cast<std::ptrdiff_t>(set * of_a_set);
    const auto best = std::max_element(begin, begin + static_cast<std::ptrdiff_t>(of_a_set),
                                       [](const Rates& a, const Rates& b) { return a.median() < b.median(); });
    chosen.push_back(std::move(loads[static_cast<std::size_t>(best - measured.begin())]));
  }
  return chosen;
}

/// Measures all of `loads` as often as the one that scatters most demands.
std::vector<Rates> measure_until_precise(const Execute& execute, const std::vector<Load>& loads) {
  auto measured = measure(execute, loads, choice_repetitions, first_repetitions);
  const auto is_imprecise = [](const Rates& one) { return !is_precise(one.repetitions); };
  while (std::ranges::any_of(measured, is_imprecise)) {
    const auto count = static_cast<std::int64_t>(measured.front().repetitions.size());
    if (count * more_repetitions > most_repetitions) break;
    const auto more = measure(execute, loads, choice_repetitions + count, count * (more_repetitions - 1));
    for (std::size_t i = 0; i < measured.size(); ++i) {
      auto& all = measured[i].repetitions;
      all.insert(all.end(), more[i].repetitions.begin(), more[i].repetitions.end());
    }
  }
  return measured;
}

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

void publish_curve(const Session& session, const std::vector<Rates>& curve) {
  std::vector<double> sms;
  std::vector<double> medians;
  for (const Rates& rates : curve) {
    sms.push_back(static_cast<double>(rates.sms.size()));
    medians.push_back(rates.median());
  }
  session.evidence(curve_key, std::vector{column("sms", sms), column("bytes_per_cycle", medians)});
}

void publish_groups(const Session& session, const std::vector<Rates>& alone) {
  Value pairs = Value::list();
  double doubt = systematic_error;  // and that one of the intervals does not cover its rate
  for (const Rates& rates : alone) {
    if (relative_ci(rates.repetitions) > useful_ci)
      return session.inconclusive(groups_key, "repetitions scatter too much");
    pairs.push_back(Value::list(rates.sms.size(), rates.median()));
    doubt += 1 - analysis::median_interval(rates.repetitions, confidence::throughput::interval).coverage;
  }
  session.publish({.key = groups_key,
                   .value = pairs,
                   .method = "streaming-by-sms",
                   .confidence = 1 - doubt,
                   .samples = alone.size() * alone.front().repetitions.size(),
                   .conditions = {{"pairs", "SMs of a group, bytes per cycle that they read while the others idle"}},
                   .evidence = curve_key});
}

/// The whole device: the sum of the links of all groups, each measured alone, so that L2 itself limits none.
void publish_total(const Session& session, const std::vector<Rates>& alone, const Rates& one, const Rates& all) {
  if (const auto reason = other_limit(alone, one, all); !reason.empty()) return session.inconclusive(total_key, reason);
  const Rates sum = sum_of(alone, one.clock_hz);
  Fact fact = fact_of(total_key, sum, sum.clock_hz);
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
  publish_curve(session,
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
  publish_groups(session, alone);
  publish_total(session, alone, one, all);
}

}  // namespace tomograph::throughput
