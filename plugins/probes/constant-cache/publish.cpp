#include "publish.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "questions.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/cache/questions.hpp"

namespace tomograph::constant_cache {

namespace {

/// Median of each list, in the order given.
template <typename Lists>
std::vector<double> medians(const Lists& lists) {
  std::vector<double> found;
  for (const auto& one : lists) found.push_back(analysis::median(one.latencies));
  return found;
}

}  // namespace

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

void publish_l2_latency(const Session& session, const Levels& levels) {
  // Lines lie in several partitions and slices, so the mean counts, without the 5 % at either end, which DRAM refresh
  // and translation delay.
  constexpr double trimmed = 0.05;
  const double latency = analysis::trimmed_mean(levels.from_l2, trimmed);
  // Three standard errors cover 99.7 % of normal errors; one cycle more is the resolution of the clock.
  constexpr double errors = 3;
  constexpr double clock = 1;
  constexpr double deviation_of_a_normal = 1.4826;
  const double error = deviation_of_a_normal * analysis::median_absolute_deviation(levels.from_l2) /
                       std::sqrt(static_cast<double>(levels.from_l2.size()));
  session.publish({.key = "constant_memory.latency",
                   .value = latency,
                   .method = levels.second ? "first-loads-after-a-neighbour" : "misses-of-the-first-level",
                   .confidence = confidence::median_interval,
                   .interval = Interval{latency - errors * error - clock, latency + errors * error + clock},
                   .samples = levels.from_l2.size(),
                   .conditions = {{"statistic", "trimmed mean"}, {"held_by", "L2"}},
                   .evidence = "constant_l1.latency"});
}

void publish_second(const Session& session, const Levels& levels, const SecondHits& seen) {
  session.evidence("constant_l15.latency",
                   std::vector{cache::column("sm", {seen.sms.begin(), seen.sms.end()}),
                               cache::column("hit_cycles_by_sm", seen.by_sm), cache::column("hit_cycles", seen.all),
                               cache::column("miss_cycles", levels.from_l2)});
  auto by_sm = seen.by_sm;
  by_sm.push_back(analysis::median(seen.all));
  const auto [low, high] = std::ranges::minmax(by_sm);
  session.publish(
      {.key = "constant_l15.latency",
       .value = analysis::median(by_sm),
       .method = "single-loads",
       .confidence = confidence::median_interval,
       .interval = Interval{low - 0.5, high + 0.5},
       .samples = seen.all.size(),
       .conditions = {{"statistic", "median over SMs of their medians"}, {"footprint", levels.beyond_first}},
       .evidence = "constant_l15.latency"});
  cache::HitAndMiss loads;
  loads.hits = seen.all;
  loads.misses = levels.from_l2;
  loads.threshold = levels.second;
  cache::publish_misses(session, l15, loads);
}

void publish_no_second(const Session& session, const Levels& levels) {
  for (const char* fact : cache::latency_facts) {
    const std::string key = cache::key(l15, fact);
    if (levels.first_misses.empty()) {
      session.inconclusive(key, "the first level holds all constants that a program can load");
    } else if (levels.open) {
      session.inconclusive(key,
                           "misses of the first level may be hits in the near partition of L2 or in a second level: "
                           "the distance between the partitions of L2 is not known");
    } else {
      session.absent(key, "misses of the first level take as long as loads of lines that only L2 holds");
    }
  }
}

void publish_no_cache(const Session& session) {
  for (const cache::Level* level : {&l1, &l15}) {
    for (const char* fact : cache::latency_facts) {
      session.absent(cache::key(*level, fact), "repeated loads of constants take as long as first loads");
    }
  }
  session.absent("constant_memory.latency", "no cache but L2 holds constants: see l2.latency");
}

}  // namespace tomograph::constant_cache
