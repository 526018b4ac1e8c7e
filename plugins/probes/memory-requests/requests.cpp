#include "requests.hpp"

#include <algorithm>
#include <array>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>
#include <vector>

#include "tomograph/analysis/occupancy_roofline.hpp"
#include "tomograph/streaming.hpp"

namespace tomograph::memory_requests {

namespace {

constexpr std::array<std::int64_t, 5> elements{1, 2, 4, 8, 16};
constexpr std::int64_t warps_of_a_cta = 8;
/// Requests of each warp, unless fewer exceed the L2.
constexpr std::int64_t requests = 2048;
/// Large for any present L2, where nothing is known about it.
constexpr std::int64_t cautious_l2 = std::int64_t{128} << 20;
/// So large that what an L2 that does not strictly replace the oldest line still holds of it hardly counts.
constexpr std::int64_t footprint_in_l2 = 16;
constexpr const char* evidence_name = "dram.request";

/// What an SM has under way: requests of so many warps, so many of each at the same time.
struct Occupancy {
  std::int64_t warps = 0;
  std::int64_t ilp = 1;
};

struct Point {
  std::int64_t element = 0;
  Occupancy occupancy;
  std::vector<double> cycles;  ///< per request of a warp, by SM
};

/// 1, 2, 4, ... warps and the most that CTAs of eight warps add up to; then of these 2, 4 and 8 requests each.
std::vector<Occupancy> occupancies(std::int64_t most) {
  most = most / warps_of_a_cta * warps_of_a_cta;
  std::vector<Occupancy> all;
  for (std::int64_t power = 1; power < most; power *= 2) all.push_back({power, 1});
  for (const std::int64_t ilp : {1, 2, 4, 8}) all.push_back({most, ilp});
  return all;
}

streaming::Program read_of(std::int64_t element, const Occupancy& occupancy, std::int64_t bytes) {
  const std::int64_t of_a_cta = std::min(occupancy.warps, warps_of_a_cta);
  return {.element = element,
          .ilp = occupancy.ilp,
          .threads = of_a_cta * streaming::warp_threads,
          .ctas_per_sm = occupancy.warps / of_a_cta,
          .bytes = bytes,
          .warm_passes = 0};
}

/// Each read follows one that drives what it reads out of the L2.
std::vector<Point> measure(const Session& session, std::int64_t most_warps, std::int64_t large) {
  const auto sms = session.needed<std::int64_t>("device.sm_count");
  const std::vector<Occupancy> all = occupancies(most_warps);
  std::vector<streaming::Program> batch;
  for (const std::int64_t element : elements) {
    for (const Occupancy& occupancy : all) {
      const std::int64_t bytes = std::min(sms * occupancy.warps * streaming::warp_threads * element * requests, large);
      batch.push_back(read_of(16, all.back(), large));
      batch.back().trial = static_cast<std::int64_t>(batch.size());
      batch.push_back(read_of(element, occupancy, bytes));
    }
  }
  const auto results = streaming::execute(session, batch);
  std::vector<Point> points;
  for (std::size_t i = 1; i < results.size(); i += 2) {
    const streaming::Program& program = batch[i];
    if (results[i].ctas_per_sm != program.ctas_per_sm) continue;  // the SM has no room for so many
    const std::int64_t bytes_of_a_request = program.element * streaming::warp_threads;
    const double of_an_sm = static_cast<double>(results[i].moved) / static_cast<double>(bytes_of_a_request * sms);
    const std::int64_t warps = program.threads / streaming::warp_threads * program.ctas_per_sm;
    Point point{program.element, {warps, program.ilp}, {}};
    for (const double cycles : results[i].cycles) point.cycles.push_back(cycles / of_an_sm);
    points.push_back(std::move(point));
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

/// Probability that all means lie within their intervals, which are 1.96 standard deviations of single SMs to either
/// side (Student's t of so many SMs). What all SMs have in common shows in none of them, so that it is never taken for
/// sure.
double confidence_of(std::size_t intervals, std::uint64_t sms) {
  constexpr double surest = 0.99;
  if (sms < 2) return 0;
  const auto count = static_cast<double>(sms);
  const boost::math::students_t_distribution<double> of_means(count - 1);
  const double beyond = 2 * boost::math::cdf(boost::math::complement(of_means, 1.96 * std::sqrt(count)));
  return std::clamp(1 - static_cast<double>(intervals) * beyond, 0.0, surest);
}

void publish(const Session& session, const char* key, const char* method,
             const std::map<std::int64_t, analysis::Repeated>& by_element, std::uint64_t samples) {
  Json pairs = Json::array();
  Json intervals = Json::array();
  for (const auto& [element, cycles] : by_element) {
    pairs.push_back({element, cycles.mean});
    intervals.push_back({cycles.interval().low, cycles.interval().high});
  }
  session.publish({.key = key,
                   .value = std::move(pairs),
                   .method = method,
                   .confidence = confidence_of(by_element.size(), samples),
                   .samples = samples,
                   .conditions = {{"intervals", std::move(intervals)}, {"sms", "all at the same time"}},
                   .evidence = evidence_name});
}

}  // namespace

void find_request_latencies(const Session& session) {
  const auto most = session.fact<std::int64_t>("device.max_warps_per_sm").value_or(4 * warps_of_a_cta);
  std::int64_t large = footprint_in_l2 * session.fact<std::int64_t>("l2.nominal_size").value_or(cautious_l2);
  if (const auto size = session.fact<std::int64_t>("dram.size")) large = std::min(large, *size / 4);
  std::vector<Point> points;
  try {
    points = measure(session, most, large);
  } catch (const Refused& refused) {
    if (refused.status == TOMOGRAPH_UNSUPPORTED) throw Skip("device", refused.what());
    throw;
  }
  keep_evidence(session, points);
  std::map<std::int64_t, analysis::Repeated> completion;
  std::map<std::int64_t, analysis::Repeated> issue;
  for (const std::int64_t element : elements) {
    std::vector<analysis::OccupancyPoint> curve;
    for (const Point& point : points) {
      if (point.element == element) curve.push_back({point.occupancy.warps * point.occupancy.ilp, point.cycles});
    }
    const analysis::Roofline roofline = analysis::roofline(curve);
    completion[element] = roofline.completion;
    if (analysis::levels_out(curve)) issue[element] = roofline.issue;
  }
  const std::uint64_t samples = points.front().cycles.size();
  publish(session, "dram.request.completion_latency_by_element", "one-warp", completion, samples);
  constexpr const char* issue_key = "dram.request.issue_latency_by_element";
  if (issue.empty()) return session.inconclusive(issue_key, "more warps than an SM holds would be faster still");
  publish(session, issue_key, "full-pipelines", issue, samples);
}

}  // namespace tomograph::memory_requests
