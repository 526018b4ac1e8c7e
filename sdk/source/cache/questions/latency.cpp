#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "tomograph/analysis/clock_step.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/delays.hpp"
#include "tomograph/analysis/group_error.hpp"
#include "tomograph/analysis/proportion.hpp"
#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/analysis/scatter.hpp"
#include "tomograph/cache/questions.hpp"

namespace tomograph::cache {

namespace {

/// How single hits of all SMs scatter.
Value conditions_of(const HitAndMiss& seen) {
  Value conditions = analysis::scatter_of(seen.hits);
  conditions["overhead_total"] = seen.overhead_total;
  conditions["statistic"] = "median over SMs";
  return conditions;
}

/// By how much a latency may be too high: half a cycle for the overhead, and on an H200 a branch of 30 cycles after 32
/// loads of constants, whose cache holds the loop as well.
double excess_of(const Level& level) { return level.path == chase::Path::constant ? 1 : 0.5; }

/// Where most totals hold delayed loads. The interval covers the mean of single loads and the median of totals.
void publish_latency_of_single_loads(const Session& session, const Level& level, const HitAndMiss& seen) {
  const double cycles = seen.mean_in_time();
  const double reach = excess_of(level) + analysis::clock_step(seen.hits);
  Value conditions = conditions_of(seen);
  conditions["overhead_each"] = seen.overhead_each;
  conditions["statistic"] = "mean of the loads that take no more than twice the median";
  session.publish(
      {.key = key(level, "latency"),
       .value = cycles,
       .method = "single-loads",
       .confidence = confidence::cache::latency,
       .interval = Interval{cycles - reach, std::max(cycles, analysis::median(seen.cycles_by_sm())) + reach},
       .samples = seen.hits.size(),
       .conditions = std::move(conditions),
       .evidence = key(level, "latency")});
}

/// The interval covers all SMs, which lie at different distances.
void publish_latency(const Session& session, const Level& level, const HitAndMiss& seen) {
  if (seen.hits_are_of_a_buffer()) {
    return session.inconclusive(key(level, "latency"), "hits of two lines are faster than those of many");
  }
  if (seen.most_totals_are_late()) return publish_latency_of_single_loads(session, level, seen);
  const auto cycles = seen.cycles_by_sm();
  const auto [low, high] = std::ranges::minmax(cycles);
  session.publish({.key = key(level, "latency"),
                   .value = analysis::median(cycles),
                   .method = "dependent-chain-total",
                   .confidence = confidence::cache::latency,
                   .interval = Interval{low - excess_of(level), high + 0.5},
                   .samples = seen.by_sm.size(),
                   .conditions = conditions_of(seen),
                   .evidence = key(level, "latency")});
}

/// How far the mean of undelayed penalties may lie from that of all lines, by the scatter of programs, whose lines may
/// lie in one partition, or by that of single loads where it is larger.
double reach_of_mean(const Penalties& penalties, const analysis::Delays& undelayed) {
  constexpr double errors = 3;       // false alarm 2.7e-3
  constexpr double within = 0.9973;  // as three standard errors of a normal
  if (penalties.programs.empty()) return errors * undelayed.error;
  const std::set<double> late(undelayed.late.begin(), undelayed.late.end());
  Penalties in_time;
  for (std::size_t i = 0; i < penalties.cycles.size(); ++i) {
    if (late.contains(penalties.cycles[i])) continue;
    in_time.cycles.push_back(penalties.cycles[i]);
    in_time.programs.push_back(penalties.programs[i]);
  }
  return std::max(errors * undelayed.error, analysis::reach_of_groups(in_time.cycles, in_time.programs, within));
}

/// A mean, since misses of L2 go to memory near and far, and a median may lie anywhere between. Loads that refresh
/// delayed are no part of the value; the interval covers the mean with them and without. Each has three standard
/// errors, of programs where these are larger (false alarm 2.7e-3), a step of the clock, and what TLBs add to next
/// loads. First loads take longer, and other SMs evict more entries of a TLB meanwhile, so they may miss it more often.
void publish_penalty(const Session& session, const Level& level, const HitAndMiss& seen) {
  const Penalties penalties = seen.penalties();
  if (penalties.cycles.empty()) {
    return session.inconclusive(key(level, "miss_penalty"), "no line that was loaded once was there at the next load");
  }
  // The others belong to the near partition more often than all lines do.
  constexpr double most_held = 0.05;  // moves the mean by a fortieth of what the partitions differ by
  if (seen.held_elsewhere > most_held) {
    return session.inconclusive(key(level, "miss_penalty"), "another partition still held many of the evicted lines");
  }
  const analysis::Delays undelayed = analysis::delays(penalties.cycles);
  const double sum = std::accumulate(penalties.cycles.begin(), penalties.cycles.end(), 0.0);
  const double with_late = sum / static_cast<double>(penalties.cycles.size());
  const double of_mean = reach_of_mean(penalties, undelayed);
  if (std::isinf(of_mean)) {
    return session.inconclusive(key(level, "miss_penalty"), "all lines that missed lie close to each other");
  }
  const double clock = std::max(analysis::clock_step(seen.hits), analysis::clock_step(seen.misses));
  const double reach = of_mean + clock + seen.line_difference;
  session.publish(
      {.key = key(level, "miss_penalty"),
       .value = undelayed.mean,
       .method = "single-loads",
       .confidence = confidence::cache::miss_penalty,
       .interval = Interval{std::min(undelayed.mean, with_late) - reach, std::max(undelayed.mean, with_late) + reach},
       .samples = penalties.cycles.size(),
       .conditions = {{"overhead_each", seen.overhead_each},
                      {"statistic", "mean of differences between a load that misses and one that hits"},
                      {"late_share", undelayed.late_share()}},
       .evidence = key(level, "latency")});
}

/// One of the error rates of a threshold, (errors + 1/2) / (loads + 1).
void publish_rate(const Session& session, const Level& level, const char* name, double rate, std::size_t loads) {
  const auto errors = static_cast<std::size_t>(std::llround(rate * static_cast<double>(loads + 1) - 0.5));
  const auto interval = analysis::wilson(errors, loads, confidence::cache::misread_rate);
  session.publish({.key = key(level, name),
                   .value = rate,
                   .method = "least-error-cut",
                   .confidence = confidence::cache::misread_rate,
                   .interval = Interval{interval.low, interval.high},
                   .samples = loads,
                   .evidence = key(level, "latency")});
}

/// Thresholds that misread at most 1 % of the hits or of the misses. More are misread if hits and misses overlap; then
/// the threshold itself is a bound.
Interval useful_thresholds(const HitAndMiss& seen) {
  const double cycles = seen.threshold->cycles;
  return {std::min(analysis::quantile(seen.hits, 0.99), cycles),
          std::max(analysis::quantile(seen.misses, 0.01), cycles)};
}

void publish_threshold(const Session& session, const Level& level, const HitAndMiss& seen) {
  publish_rate(session, level, "hit_threshold.false_hit", seen.threshold->false_hit, seen.misses.size());
  publish_rate(session, level, "hit_threshold.false_miss", seen.threshold->false_miss, seen.hits.size());
  session.publish({.key = key(level, "hit_threshold"),
                   .value = seen.threshold->cycles,
                   .method = "least-error-cut",
                   .confidence = 1 - std::max(seen.threshold->false_hit, seen.threshold->false_miss),
                   .interval = useful_thresholds(seen),
                   .samples = seen.hits.size() + seen.misses.size(),
                   .evidence = key(level, "latency")});
}

}  // namespace

HitAndMiss measure_hits_and_misses(const Session& session, const Level& level) {
  const auto sm_count = session.needed<std::int64_t>("device.sm_count");
  Subject subject = subject_of(level);
  // A private cache is measured in far less memory.
  if (level.shared) subject.largest = session.fact<std::int64_t>("dram.free").value_or(subject.largest);
  const auto execute = executor(session, level);
  auto seen = level.shared ? shared_hit_and_miss(execute, subject, flush_bytes(session), sm_count)
                           : private_hit_and_miss(execute, subject, level.behind.value(), sm_count);
  session.evidence(key(level, "latency"),
                   std::vector{column("hit_cycles", seen.hits), column("miss_cycles", seen.misses),
                               column("hit_cycles_by_sm", seen.cycles_by_sm())});
  return seen;
}

void publish_latencies(const Session& session, const Level& level, const HitAndMiss& seen) {
  publish_latency(session, level, seen);
  publish_misses(session, level, seen);
}

void publish_misses(const Session& session, const Level& level, const HitAndMiss& seen) {
  publish_penalty(session, level, seen);
  publish_threshold(session, level, seen);
}

void find_latency(const Session& session, const Level& level) {
  const auto seen = measure_hits_and_misses(session, level);
  if (seen.threshold) return publish_latencies(session, level, seen);
  for (const char* fact : latency_facts) {
    if (seen.clock_is_coarse()) {
      session.inconclusive(key(level, fact), coarse_clock);
      continue;
    }
    session.absent(key(level, fact), "repeated loads take as long as first loads: " + std::string(level.name) +
                                         " holds nothing that is loaded on this path");
  }
}

}  // namespace tomograph::cache
