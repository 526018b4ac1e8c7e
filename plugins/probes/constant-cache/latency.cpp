#include <algorithm>
#include <cmath>

#include "levels.hpp"
#include "questions.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::constant_cache {

namespace {

/// Median of each list, in the order given.
template <typename Lists>
std::vector<double> medians(const Lists& lists) {
  std::vector<double> found;
  for (const auto& one : lists) found.push_back(analysis::median(one.latencies));
  return found;
}

void keep_evidence(const Session& session, const Spectrum& spectrum) {
  std::vector<double> bytes;
  std::vector<double> sms;
  for (const Step& step : spectrum.steps) bytes.push_back(static_cast<double>(step.bytes));
  for (const Neighbour& one : spectrum.neighbours) sms.push_back(static_cast<double>(one.sm));
  session.evidence(
      "constant_l1.latency",
      std::vector{cache::column("footprint_B", bytes), cache::column("median_cycles", medians(spectrum.steps)),
                  cache::column("hit_cycles", spectrum.hits), cache::column("neighbour_sm", sms),
                  cache::column("after_neighbour_cycles", medians(spectrum.neighbours))});
}

void publish_reach(const Session& session, std::int64_t bytes) {
  session.publish({.key = "constant_memory.reach",
                   .value = bytes,
                   .method = "largest-program",
                   .confidence = confidence::vendor,
                   .samples = 1,
                   .conditions = {{"granule", 256}},
                   .source = TOMOGRAPH_API});
}

void publish_behind(const Session& session, const Levels& levels) {
  // Lines of several partitions and slices: a mean, less what refresh and translation delay.
  const double latency = analysis::trimmed_mean(levels.behind, 0.05);
  const double error = 1.4826 * analysis::median_absolute_deviation(levels.behind) /
                       std::sqrt(static_cast<double>(levels.behind.size()));
  session.publish({.key = "constant_memory.latency",
                   .value = latency,
                   .method = levels.second ? "first-loads-after-a-neighbour" : "misses-of-the-first-level",
                   .confidence = confidence::median_interval,
                   .interval = Interval{latency - 3 * error - 1, latency + 3 * error + 1},
                   .samples = levels.behind.size(),
                   .conditions = {{"statistic", "trimmed mean"}, {"held_by", "L2"}},
                   .evidence = "constant_l1.latency"});
}

/// Hits of the second level are loads that the first one missed; it has them on every SM alike, or nearly.
void publish_second(const Session& session, Levels levels, std::int64_t sm_count) {
  std::vector<double> by_sm;
  std::vector<double> sms;
  for (const Neighbour& one : on_other_sms(cache::executor(session), levels.beyond_first, sm_count)) {
    std::vector<double> hits;
    std::ranges::copy_if(one.latencies, std::back_inserter(hits), [&](double cycles) {
      return cycles > levels.first->cycles && cycles <= levels.second->cycles;
    });
    if (hits.empty()) continue;
    by_sm.push_back(analysis::median(hits));
    sms.push_back(static_cast<double>(one.sm));
    levels.first_misses.insert(levels.first_misses.end(), hits.begin(), hits.end());
  }
  session.evidence(
      "constant_l15.latency",
      std::vector{cache::column("sm", sms), cache::column("hit_cycles_by_sm", by_sm),
                  cache::column("hit_cycles", levels.first_misses), cache::column("miss_cycles", levels.behind)});
  by_sm.push_back(analysis::median(levels.first_misses));
  const auto [low, high] = std::ranges::minmax(by_sm);
  session.publish(
      {.key = "constant_l15.latency",
       .value = analysis::median(by_sm),
       .method = "single-loads",
       .confidence = confidence::median_interval,
       .interval = Interval{low - 0.5, high + 0.5},
       .samples = levels.first_misses.size(),
       .conditions = {{"statistic", "median over SMs of their medians"}, {"footprint", levels.beyond_first}},
       .evidence = "constant_l15.latency"});
  cache::HitAndMiss seen;
  seen.hits = levels.first_misses;
  seen.misses = levels.behind;
  seen.threshold = levels.second;
  cache::publish_misses(session, l15, seen);
}

void no_second(const Session& session, const Levels& levels) {
  for (const char* fact : cache::latency_facts) {
    const std::string key = cache::key(l15, fact);
    if (levels.first_misses.empty()) {
      session.inconclusive(key, "the first level holds all constants that a program can load");
    } else if (levels.open) {
      session.inconclusive(key,
                           "misses of the first level may have been near hits of L2 or hits of a second level: "
                           "how far the partitions of L2 lie apart is not known");
    } else {
      session.absent(key, "misses of the first level take as long as loads of lines that only L2 holds");
    }
  }
}

void no_cache(const Session& session) {
  for (const cache::Level* level : {&l1, &l15}) {
    for (const char* fact : cache::latency_facts) {
      session.absent(cache::key(*level, fact), "repeated loads of constants take as long as first loads");
    }
  }
  session.absent("constant_memory.latency", "no cache but L2 holds constants: see l2.latency");
}

std::optional<double> far_excess(const Session& session) {
  const auto near = session.fact<double>("l2.latency.near");
  const auto far = session.fact<double>("l2.latency.far");
  if (far && near) return *far - *near;
  if (session.fact<std::int64_t>("l2.partition.count") == 1) return 0;
  return std::nullopt;
}

}  // namespace

void find_latencies(const Session& session) {
  const auto execute = cache::executor(session);
  const auto sm_count = session.needed<std::int64_t>("device.sm_count");
  const std::int64_t bytes = reach(execute);
  publish_reach(session, bytes);
  auto smallest = smallest_footprint(execute, sm_count);
  const Spectrum spectrum{smallest.hits, sweep(execute, bytes), after_neighbours(execute, bytes, sm_count)};
  keep_evidence(session, spectrum);
  const Levels levels = find_levels(spectrum, far_excess(session));
  if (!levels.first) return no_cache(session);
  smallest.threshold = levels.first;
  smallest.misses = levels.first_misses.empty() ? levels.behind : levels.first_misses;
  cache::publish_latencies(session, l1, smallest);
  publish_behind(session, levels);
  if (levels.second) {
    publish_second(session, levels, sm_count);
  } else {
    no_second(session, levels);
  }
}

}  // namespace tomograph::constant_cache
