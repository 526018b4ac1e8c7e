#include <algorithm>
#include <cmath>
#include <iterator>

#include "level.hpp"
#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/cache/hit_and_miss.hpp"

namespace tomograph::data_cache {

namespace {

constexpr double interval_coverage = 0.99;

std::vector<double> cycles_by_sm(const cache::HitAndMiss& seen) {
  std::vector<double> cycles;
  for (const cache::SmLatency& one : seen.by_sm) cycles.push_back(one.cycles);
  return cycles;
}

/// The interval holds what any SM sees: SMs lie at different distances, and one number stands for all of them.
void publish_latency(const Session& session, const Level& level, const cache::HitAndMiss& seen) {
  const auto cycles = cycles_by_sm(seen);
  const auto [low, high] = std::ranges::minmax(cycles);
  session.publish({.key = key(level, "latency"),
                   .value = analysis::median(cycles),
                   .method = "dependent-chain-total",
                   .confidence = interval_coverage,
                   .interval = Interval{low - 0.5, high + 0.5},
                   .samples = seen.by_sm.size(),
                   .conditions = {{"overhead_total", seen.overhead_total}, {"statistic", "median over SMs"}},
                   .evidence = key(level, "latency")});
}

/// Means, since misses of L2 come in several modes, near and far memory, between which a median may lie anywhere.
/// Trimmed by what refresh delays, and without loads that hit after all.
void publish_penalty(const Session& session, const Level& level, const cache::HitAndMiss& seen) {
  constexpr double trimmed = 0.05;
  std::vector<double> misses;
  std::ranges::copy_if(seen.misses, std::back_inserter(misses),
                       [&](double one) { return one > seen.threshold->cycles; });
  const double penalty = analysis::trimmed_mean(misses, trimmed) - analysis::trimmed_mean(seen.hits, trimmed);
  // Standard error of the mean, from the median absolute deviation of a normal.
  const double error =
      1.4826 * analysis::median_absolute_deviation(misses) / std::sqrt(static_cast<double>(misses.size()));
  session.publish({.key = key(level, "miss_penalty"),
                   .value = penalty,
                   .method = "single-loads",
                   .confidence = interval_coverage,
                   .interval = Interval{penalty - 3 * error - 1, penalty + 3 * error + 1},
                   .samples = misses.size(),
                   .conditions = {{"overhead_each", seen.overhead_each}, {"statistic", "difference of trimmed means"}},
                   .evidence = key(level, "latency")});
}

void publish_threshold(const Session& session, const Level& level, const cache::HitAndMiss& seen) {
  session.publish({.key = key(level, "hit_threshold"),
                   .value = seen.threshold->cycles,
                   .method = "least-error-cut",
                   .confidence = 1 - std::max(seen.threshold->false_hit, seen.threshold->false_miss),
                   .interval = Interval{analysis::quantile(seen.hits, 0.99), analysis::quantile(seen.misses, 0.01)},
                   .samples = seen.hits.size() + seen.misses.size(),
                   .conditions = {{"false_hit", seen.threshold->false_hit}, {"false_miss", seen.threshold->false_miss}},
                   .evidence = key(level, "latency")});
}

void publish_by_sm(const Session& session, const cache::HitAndMiss& seen) {
  Json values = Json::array();
  for (const double cycles : cycles_by_sm(seen)) values.push_back(std::round(cycles * 100) / 100);
  session.publish({.key = "l2.latency_by_sm",
                   .value = values,
                   .method = "dependent-chain-total",
                   .confidence = interval_coverage,
                   .samples = seen.by_sm.size(),
                   .conditions = {{"statistic", "mean over lines, by number of the SM"}},
                   .evidence = key(l2, "latency")});
}

}  // namespace

/// Where partitions keep copies, a line in a far one is no hit of the near one: the threshold lies below that, too.
void exclude_far_hits(const Session& session, cache::HitAndMiss& seen) {
  const auto far = session.fact<double>("l2.latency.far");
  if (!seen.threshold || !far || !l2_is_replicated(session)) return;
  const double slowest_hit = analysis::quantile(seen.hits, 0.99);
  seen.threshold->cycles = std::min(seen.threshold->cycles, (slowest_hit + *far) / 2);
}

void find_latency(const Session& session, const Level& level) {
  const auto sm_count = session.needed<std::int64_t>("device.sm_count");
  const cache::Subject subject{.path = level.path, .carveout = 0, .shared = level.shared};
  auto seen = level.shared ? cache::shared_hit_and_miss(executor(session), subject, flush_bytes(session), sm_count)
                           : cache::private_hit_and_miss(executor(session), subject, beyond_l1, sm_count);
  if (level.shared) exclude_far_hits(session, seen);
  session.evidence(key(level, "latency"),
                   std::vector{column("hit_cycles", seen.hits), column("miss_cycles", seen.misses),
                               column("hit_cycles_by_sm", cycles_by_sm(seen))});
  if (!level.shared) {
    // Loads of lines that were just loaded, against first loads of lines that only L2 holds: alike if L1 is not there.
    session.publish({.key = "l1_data.caches_global_loads",
                     .value = seen.threshold.has_value(),
                     .method = "repeated-against-first-loads",
                     .confidence = 0.9999,
                     .samples = seen.hits.size() + seen.misses.size(),
                     .conditions = {{"path", "global.ca"}},
                     .evidence = key(level, "latency")});
  }
  if (!seen.threshold) {
    const char* reason = "repeated loads take as long as first loads";
    for (const char* name : {"latency", "miss_penalty", "hit_threshold"}) {
      if (level.shared)
        session.inconclusive(key(level, name), reason);
      else
        session.absent(key(level, name), reason);
    }
    if (level.shared) session.inconclusive("l2.latency_by_sm", reason);
    return;
  }
  publish_latency(session, level, seen);
  publish_penalty(session, level, seen);
  publish_threshold(session, level, seen);
  if (level.shared) publish_by_sm(session, seen);
}

}  // namespace tomograph::data_cache
