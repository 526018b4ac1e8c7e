#include <cmath>

#include "analysis_latency.hpp"
#include "questions.hpp"
#include "tomograph/analysis/confidence.hpp"

namespace tomograph::data_cache {

namespace {

constexpr const char* no_difference = "repeated loads take as long as first loads";

/// A line in a far partition is no hit of the near one where partitions keep copies.
void exclude_far_hits(const Session& session, cache::HitAndMiss& seen) {
  const auto far = session.fact<double>("l2.latency.far");
  if (!far || !l2_is_replicated(session)) return;
  lower_threshold_below(*far, seen);
  drop_far_hits(*far, seen);
}

double rounded(double cycles) { return std::round(cycles * 100) / 100; }

void publish_by_sm(const Session& session, const cache::HitAndMiss& seen) {
  if (seen.most_totals_are_late()) {
    return session.inconclusive("l2.latency_by_sm", "interrupts or the like delay loads of most chains");
  }
  Value values = Value::list();
  Value intervals = Value::list();
  for (const cache::SmLatency& one : seen.by_sm) values.push_back(rounded(one.cycles));
  for (const auto& [low, high] : seen.intervals_by_sm(confidence::data_cache::latency_by_sm)) {
    intervals.push_back(Value::list(rounded(low), rounded(high)));
  }
  session.publish(
      {.key = "l2.latency_by_sm",
       .value = values,
       .method = "dependent-chain-total",
       .confidence = confidence::data_cache::latency_by_sm,
       .samples = seen.by_sm.size(),
       .conditions = {{"statistic", "mean over lines, by number of the SM"}, {"intervals", std::move(intervals)}},
       .evidence = "l2.latency"});
}

}  // namespace

bool l2_is_replicated(const Session& session) { return session.needed<bool>("l2.partition.replicated"); }

void find_l1_latency(const Session& session) {
  const auto seen = cache::measure_hits_and_misses(session, l1);
  if (!seen.threshold && seen.clock_is_coarse()) {
    session.inconclusive("l1_data.caches_global_loads", cache::coarse_clock);
    for (const char* fact : cache::latency_facts) session.inconclusive(cache::key(l1, fact), cache::coarse_clock);
    return;
  }
  // Repeated loads are compared with first loads of lines that only L2 holds. They take as long if L1 holds no line.
  session.publish({.key = "l1_data.caches_global_loads",
                   .value = seen.threshold.has_value(),
                   .method = "repeated-against-first-loads",
                   .confidence = confidence::data_cache::caches_global_loads,
                   .samples = seen.hits.size() + seen.misses.size(),
                   .conditions = {{"path", "global.ca"}},
                   .evidence = "l1_data.latency"});
  if (seen.threshold) return cache::publish_latencies(session, l1, seen);
  for (const char* fact : cache::latency_facts) {
    session.absent(cache::key(l1, fact), no_difference);
  }
}

void find_l2_latency(const Session& session) {
  auto seen = cache::measure_hits_and_misses(session, l2);
  exclude_far_hits(session, seen);
  if (!seen.threshold) {
    for (const char* fact : cache::latency_facts) session.inconclusive(cache::key(l2, fact), no_difference);
    return session.inconclusive("l2.latency_by_sm", no_difference);
  }
  cache::publish_latencies(session, l2, seen);
  publish_by_sm(session, seen);
}

}  // namespace tomograph::data_cache
