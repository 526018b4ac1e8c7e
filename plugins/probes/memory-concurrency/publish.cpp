#include "publish.hpp"

#include <cmath>
#include <map>
#include <utility>

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/median_fact.hpp"

namespace tomograph::memory_concurrency {

namespace {

using confidence::throughput::systematic_error;

/// A rate with a wider relative interval than this is not published: two runs would differ by more than is useful.
constexpr double useful_ci = 0.05;
/// Which memory a run gets matters: on one of three H200s, runs loaded 0.8 % more or less from L2, each time alike.
constexpr double from_run_to_run = 1.01;
constexpr const char* method = "random-loads";
constexpr const char* method_of_stores = "random-stores";

analysis::MedianInterval interval_of(const std::vector<double>& values) {
  return analysis::median_interval(values, confidence::throughput::interval);
}

double relative_ci(const std::vector<double>& values) {
  const auto interval = interval_of(values);
  return (interval.high - interval.low) / 2 / analysis::median(values);
}

std::string scatter_of(const std::vector<double>& values) {
  return "repetitions scatter so much that they determine it only to " +
         std::to_string(std::lround(100 * relative_ci(values))) + " %";
}

std::vector<double> published_values(const Point& point, bool per_second) {
  std::vector<double> values;
  for (const Run& run : point.runs) values.push_back(run.rate * sector_bytes * (per_second ? run.clock_hz : 1));
  return values;
}

double clock_mhz(const Point& point) { return std::round(point.runs.front().clock_hz / 1e6); }

}  // namespace

double doubt_of(const std::vector<double>& values) { return 1 - interval_of(values).coverage + systematic_error; }

void publish_saturated(const Session& session, const std::string& key, const std::vector<Point>& points,
                       bool per_second, const std::string& evidence) {
  const Point& best = fastest(points);
  const auto values = published_values(best, per_second);
  if (relative_ci(values) > useful_ci) return session.inconclusive(key, scatter_of(values));
  Fact fact = analysis::median_fact(key, values, evidence, confidence::throughput::interval);
  fact.method = best.writes ? method_of_stores : method;
  fact.confidence = 1 - doubt_of(values);
  const double rise = possible_rise(points);
  fact.interval->low /= from_run_to_run;
  fact.interval->high *= (1 + rise) * from_run_to_run;
  fact.conditions = {{"may_rise_by", std::round(1000 * rise) / 1000},
                     {"warps", best.warps},
                     {"blocks", best.blocks},
                     {"element", best.element},
                     {"sm_clock_mhz", clock_mhz(best)}};
  if (!best.writes) fact.conditions["latency"] = best.latency();
  session.publish(fact);
}

void publish_by_lines(const Session& session, const std::string& level, const std::vector<Point>& points,
                      const std::string& evidence) {
  const std::string key = level + ".bandwidth.gather_by_lines";
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Point>> by_shape;
  for (const Point& point : points) by_shape[{point.element, point.blocks}].push_back(point);
  Value triples = Value::list();
  Value saturated = Value::list();
  double doubt = 0;
  std::size_t samples = 0;
  for (const auto& [shape, own] : by_shape) {
    const Point& best = fastest(own);
    const auto values = published_values(best, true);
    if (relative_ci(values) > useful_ci) return session.inconclusive(key, scatter_of(values));
    triples.push_back(Value::list(shape.first, shape.second, analysis::median(values)));
    saturated.push_back(is_saturated(own));
    doubt += doubt_of(values);
    for (const Point& point : own) samples += point.runs.size();
  }
  session.publish({.key = key,
                   .value = std::move(triples),
                   .method = method,
                   .confidence = confidence::not_negative(1 - doubt),
                   .samples = samples,
                   .conditions = {{"triples", "bytes of each lane, blocks that a load touches, B/s"},
                                  {"saturated", std::move(saturated)}},
                   .evidence = evidence});
}

void publish_queueing(const Session& session, const std::string& part, const std::vector<Point>& points,
                      const std::string& evidence) {
  const std::string curve_key = part + ".queueing_curve";
  const std::string knee_key = part + ".queueing_knee";
  double doubt = 0;
  for (const Point& point : points) {
    const auto latencies = point.latencies();
    if (relative_ci(latencies) > useful_ci) {
      session.inconclusive(curve_key, scatter_of(latencies));
      return session.inconclusive(knee_key, "the curve is not certain");
    }
    doubt += doubt_of(latencies);
  }
  const auto curve = queueing_curve(points);
  Value pairs = Value::list();
  for (const auto& [load, latency] : curve) pairs.push_back(Value::list(load, latency));
  const double confidence = confidence::not_negative(1 - doubt);
  const auto samples = points.size() * points.front().runs.size();
  session.publish({.key = curve_key,
                   .value = std::move(pairs),
                   .method = method,
                   .confidence = confidence,
                   .samples = samples,
                   .conditions = {{"pairs", "load in B/s, latency in cycles"},
                                  {"blocks", points.front().blocks},
                                  {"sm_clock_mhz", clock_mhz(points.front())}},
                   .evidence = evidence});
  const auto knee = queueing_knee(curve);
  if (!knee) return session.inconclusive(knee_key, "latency does not reach 1.5 times that of an idle device");
  session.publish({.key = knee_key,
                   .value = *knee,
                   .method = method,
                   .confidence = confidence,
                   .samples = samples,
                   .conditions = {{"latency", knee_latency * curve.front().second},
                                  {"idle_latency", curve.front().second},
                                  {"saturated", fastest(points).bytes_per_second()}},
                   .evidence = evidence});
}

}  // namespace tomograph::memory_concurrency
