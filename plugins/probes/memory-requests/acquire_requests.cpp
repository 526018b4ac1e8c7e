#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "analysis_requests.hpp"
#include "questions.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/occupancy_roofline.hpp"
#include "tomograph/streaming.hpp"

namespace tomograph::memory_requests {

namespace {

/// Requests of each warp, unless fewer exceed the L2.
constexpr std::int64_t requests = 2048;
/// For an unknown L2: larger than any today.
constexpr std::int64_t cautious_l2 = std::int64_t{128} << 20;
/// Bytes read in between, in sizes of L2: so many that a policy other than LRU keeps a negligible part.
constexpr std::int64_t footprint_in_l2 = 16;
/// The same where memory is short: random replacement keeps a line over so many with a probability of 1/3000.
constexpr std::int64_t least_footprint_in_l2 = 8;
constexpr const char* evidence_name = "dram.request";

/// Trials: three times as many until all latencies are precise. The mean of the most has a ninth of the deviation of
/// one.
constexpr std::int64_t most_trials = 81;
constexpr std::int64_t more_trials = 3;

streaming::Program read_of(std::int64_t element, const Occupancy& occupancy, std::int64_t bytes) {
  const std::int64_t of_a_cta = std::min(occupancy.warps, warps_of_a_cta);
  return {.element = element,
          .ilp = occupancy.ilp,
          .threads = of_a_cta * streaming::warp_threads,
          .ctas_per_sm = occupancy.warps / of_a_cta,
          .bytes = bytes,
          .warm_passes = 0};
}

/// The device, as far as the measurement depends on it.
struct Device {
  std::int64_t sms = 1;
  std::int64_t most_warps = warps_of_a_cta;
  std::int64_t large = 0;  ///< bytes that evict all others from L2
};

streaming::Program request_of(const Device& device, const Point& point) {
  const std::int64_t each = streaming::warp_threads * point.element * requests;
  const std::int64_t bytes = std::min(device.sms * point.occupancy.warps * each, device.large);
  return read_of(point.element, point.occupancy, bytes);
}

/// Reads all of `points` `count` times, in trials from `first` on. Before each read, another one evicts its lines from
/// L2. Points that an SM has no room for get no cycles.
void read(const Session& session, const Device& device, std::span<Point* const> points, std::int64_t first,
          std::int64_t count) {
  std::vector<streaming::Program> batch;
  for (std::int64_t trial = first; trial < first + count; ++trial) {
    for (const Point* point : points) {
      batch.push_back(read_of(16, occupancies(device.most_warps).back(), device.large));
      batch.back().trial = trial * most_trials * static_cast<std::int64_t>(points.size()) + std::ssize(batch);
      batch.push_back(request_of(device, *point));
      batch.back().trial = trial;
    }
  }
  const auto results = session.ask(batch);
  for (std::size_t i = 1; i < results.size(); i += 2) {
    const streaming::Program& program = batch[i];
    if (results[i].ctas_per_sm != program.ctas_per_sm) continue;
    const std::int64_t bytes_of_a_request = program.element * streaming::warp_threads;
    const double of_an_sm =
        static_cast<double>(results[i].moved) / static_cast<double>(bytes_of_a_request * device.sms);
    Point& point = *points[i / 2 % points.size()];
    for (const double cycles : results[i].cycles) point.cycles.push_back(cycles / of_an_sm);
  }
}

std::vector<Point> measure(const Session& session, const Device& device) {
  std::vector<Point> points;
  for (const std::int64_t element : elements) {
    for (const Occupancy& occupancy : occupancies(device.most_warps)) points.push_back({element, occupancy, {}});
  }
  std::vector<Point*> all;
  for (Point& point : points) all.push_back(&point);
  read(session, device, all, 0, 1);
  std::erase_if(points, [](const Point& point) { return point.cycles.empty(); });
  for (std::int64_t done = 1; done < most_trials; done *= more_trials) {
    const auto again = imprecise(points);
    if (again.empty()) break;
    read(session, device, again, done, done * (more_trials - 1));
  }
  return points;
}

void keep_evidence(const Session& session, const std::vector<Point>& points) {
  std::vector<std::int64_t> element;
  std::vector<std::int64_t> warps;
  std::vector<std::int64_t> ilp;
  std::vector<double> mean;
  std::vector<double> low;
  std::vector<double> high;
  for (const Point& point : points) {
    const analysis::Repeated cycles = analysis::repeated(point.cycles);
    element.push_back(point.element);
    warps.push_back(point.occupancy.warps);
    ilp.push_back(point.occupancy.ilp);
    mean.push_back(cycles.mean);
    low.push_back(cycles.interval().low);
    high.push_back(cycles.interval().high);
  }
  session.evidence(evidence_name, std::vector<NamedArray>{{"element", element},
                                                          {"warps", warps},
                                                          {"ilp", ilp},
                                                          {"cycles_per_request", mean},
                                                          {"low_95", low},
                                                          {"high_95", high}});
}

void publish(const Session& session, const char* key, const char* method,
             const std::map<std::int64_t, analysis::Repeated>& by_element) {
  double confidence = 1 - confidence::throughput::request_systematic_error;
  Value pairs = Value::list();
  Value intervals = Value::list();
  for (const auto& [element, cycles] : by_element) {
    if (cycles.relative_ci() > useful_ci) {
      return session.inconclusive(key, "requests of " + std::to_string(element) + " B scatter too much");
    }
    pairs.push_back(Value::list(element, cycles.mean));
    intervals.push_back(Value::list(cycles.interval().low, cycles.interval().high));
    confidence -= cycles.error();
  }
  session.publish({.key = key,
                   .value = std::move(pairs),
                   .method = method,
                   .confidence = confidence::not_negative(confidence),
                   .samples = by_element.begin()->second.count,
                   .conditions = {{"intervals", std::move(intervals)}, {"sms", "all at the same time"}},
                   .evidence = evidence_name});
}

/// A footprint much larger than the L2. @throws Skip if there is too little free memory for it.
std::int64_t large_footprint(const Session& session) {
  const std::int64_t l2 = session.fact<std::int64_t>("l2.nominal_size").value_or(cautious_l2);
  std::int64_t large = footprint_in_l2 * l2;
  if (const auto size = session.fact<std::int64_t>("dram.size")) large = std::min(large, *size / 4);
  const auto free = session.fact<std::int64_t>("dram.free");
  if (!free || large <= *free / 2) return large;
  if (*free / 2 < least_footprint_in_l2 * l2) {
    throw Skip("resource", std::to_string(2 * least_footprint_in_l2 * l2) + " B of memory are needed, " +
                               std::to_string(*free) + " B are free");
  }
  return *free / 2;
}

}  // namespace

void find_request_latencies(const Session& session) {
  const auto most = session.fact<std::int64_t>("device.max_warps_per_sm").value_or(4 * warps_of_a_cta);
  const std::int64_t large = large_footprint(session);
  const std::vector<Point> points = measure(session, {session.needed<std::int64_t>("device.sm_count"), most, large});
  keep_evidence(session, points);
  std::map<std::int64_t, analysis::Repeated> completion;
  std::map<std::int64_t, analysis::Repeated> issue;
  bool too_slow = false;
  for (const std::int64_t element : elements) {
    const auto curve = curve_of(points, element);
    too_slow = too_slow || analysis::starts_too_slow(curve, useful_ci);
    const analysis::Roofline roofline = analysis::roofline(curve);
    completion[element] = roofline.completion;
    if (analysis::levels_out(curve)) issue[element] = roofline.issue;
  }
  constexpr const char* completion_key = "dram.request.completion_latency_by_element";
  if (too_slow) {
    session.inconclusive(completion_key, "one warp alone is slower than two allow, so it was disturbed");
  } else {
    publish(session, completion_key, "one-warp", completion);
  }
  constexpr const char* issue_key = "dram.request.issue_latency_by_element";
  if (issue.empty())
    return session.inconclusive(issue_key, "requests would be faster still with more warps than an SM holds");
  publish(session, issue_key, "full-pipelines", issue);
}

}  // namespace tomograph::memory_requests
