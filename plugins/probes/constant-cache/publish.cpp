#include "publish.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "questions.hpp"
#include "tomograph/analysis/clock_step.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/analysis/scatter.hpp"
#include "tomograph/cache/questions.hpp"
#include "tomograph/column.hpp"

namespace tomograph::constant_cache {

namespace {

/// Median of each list, in the order given.
template <typename Lists>
std::vector<double> medians(const Lists& lists) {
  std::vector<double> found;
  for (const auto& one : lists) found.push_back(analysis::median(one.latencies));
  return found;
}

std::string reason_of(Ambiguity ambiguity) {
  switch (ambiguity) {
    case Ambiguity::none: break;
    case Ambiguity::first_holds_all: return "the first level holds all constants that a program can load";
    case Ambiguity::partitions:
      return "misses of the first level may be hits in the near partition of L2 or in a second level: the distance "
             "between the partitions of L2 is not known";
    case Ambiguity::second_holds_all:
      return "misses of the first level are too fast for L2, but all constants that a program can load fit into the "
             "second level";
    case Ambiguity::near_l2:
      return "misses of the first level take almost as long as loads from L2, so that either may have served them";
  }
  return "";
}

const char* method_of(FromL2 source) {
  switch (source) {
    case FromL2::first_misses: return "misses-of-the-first-level";
    case FromL2::after_neighbours: return "first-loads-after-a-neighbour";
    case FromL2::large_footprint: break;
  }
  return "overflowing-footprint";
}

}  // namespace

void keep_evidence(const Session& session, const Spectrum& spectrum) {
  std::vector columns{
      column("footprint_B", spectrum.steps, &Step::bytes), cache::column("median_cycles", medians(spectrum.steps)),
      cache::column("hit_cycles", spectrum.hits), column("neighbour_sm", spectrum.neighbours, &Neighbour::sm),
      cache::column("after_neighbour_cycles", medians(spectrum.neighbours))};
  if (spectrum.reference) {
    columns.push_back(cache::column("small_footprint_cycles", spectrum.reference->small));
    columns.push_back(cache::column("large_footprint_cycles", spectrum.reference->large));
    columns.push_back(cache::column("l2_cycles", spectrum.reference->l2));
  }
  session.evidence("constant_l1.latency", columns);
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

void publish_l2_latency(const Session& session, const Levels& levels, std::span<const Neighbour> from_l2) {
  if (levels.from_l2.empty()) return session.inconclusive("constant_memory.latency", reason_of(levels.ambiguity));
  // Three standard errors cover 99.7 % of normal errors; a step of the clock is its resolution.
  constexpr double errors = 3;
  constexpr double deviation_of_a_normal = 1.4826;
  std::vector<double> means;
  Interval range{std::numeric_limits<double>::infinity(), 0};
  for (const Neighbour& one : from_l2) {
    means.push_back(analysis::trimmed_mean(one.latencies, mean_trimmed));
    const double error = errors * deviation_of_a_normal * analysis::median_absolute_deviation(one.latencies) /
                         std::sqrt(static_cast<double>(one.latencies.size()));
    range = {std::min(range.low, means.back() - error), std::max(range.high, means.back() + error)};
  }
  const auto all = all_of(from_l2);
  const double clock = analysis::clock_step(all);
  Value conditions = analysis::scatter_of(all);
  conditions["statistic"] = "mean over SMs of trimmed means";
  conditions["held_by"] = "L2";
  conditions["sms"] = from_l2.size();
  session.publish({.key = "constant_memory.latency",
                   .value = analysis::trimmed_mean(means, 0),
                   .method = method_of(levels.source),
                   .confidence = confidence::median_interval,
                   .interval = Interval{range.low - clock, range.high + clock},
                   .samples = all.size(),
                   .conditions = std::move(conditions),
                   .evidence = "constant_l1.latency"});
}

void publish_second(const Session& session, const Levels& levels, std::span<const Neighbour> from_l2,
                    const SecondHits& seen) {
  cache::HitAndMiss loads;
  loads.hits = seen.all;
  loads.misses = all_of(from_l2);
  for (const Neighbour& one : from_l2) {
    loads.programs.insert(loads.programs.end(), one.latencies.size(), static_cast<std::size_t>(one.sm));
  }
  loads.threshold = levels.second;
  session.evidence("constant_l15.latency",
                   std::vector{cache::column("sm", {seen.sms.begin(), seen.sms.end()}),
                               cache::column("hit_cycles_by_sm", seen.by_sm), cache::column("hit_cycles", seen.all),
                               cache::column("miss_cycles", loads.misses)});
  const auto [low, high] = std::ranges::minmax(seen.by_sm);
  const double clock = std::max(analysis::clock_step(seen.all), analysis::clock_step(loads.misses));
  Value conditions = analysis::scatter_of(seen.all);
  conditions["statistic"] = "median over SMs of their trimmed means";
  conditions["footprint"] = levels.beyond_first;
  session.publish({.key = "constant_l15.latency",
                   .value = analysis::median(seen.by_sm),
                   .method = "single-loads",
                   .confidence = confidence::median_interval,
                   .interval = Interval{low - clock, high + clock},
                   .samples = seen.all.size(),
                   .conditions = std::move(conditions),
                   .evidence = "constant_l15.latency"});
  cache::publish_misses(session, l15, loads);
}

void publish_no_second(const Session& session, const Levels& levels) {
  for (const char* fact : cache::latency_facts) {
    const std::string key = cache::key(l15, fact);
    if (levels.ambiguity != Ambiguity::none) {
      session.inconclusive(key, reason_of(levels.ambiguity));
    } else {
      session.absent(key, "misses of the first level take as long as loads of lines that only L2 holds");
    }
  }
}

void publish_coarse_clock(const Session& session) {
  for (const cache::Level* level : {&l1, &l15}) {
    for (const char* fact : cache::latency_facts) session.inconclusive(cache::key(*level, fact), cache::coarse_clock);
  }
  session.inconclusive("constant_memory.latency", cache::coarse_clock);
}

void publish_no_cache(const Session& session) {
  for (const cache::Level* level : {&l1, &l15}) {
    for (const char* fact : cache::latency_facts) {
      session.absent(cache::key(*level, fact),
                     "repeated loads of constants take as long as first loads, or as loads from L2");
    }
  }
  session.absent("constant_memory.latency", "no cache but L2 holds constants: see l2.latency");
}

}  // namespace tomograph::constant_cache
