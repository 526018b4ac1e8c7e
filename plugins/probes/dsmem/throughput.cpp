#include <algorithm>
#include <array>

#include "analysis.hpp"
#include "probes.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::dsmem {

namespace {

constexpr const char* curve = "dsmem.bandwidth";
constexpr std::array partners{Partner::other_half, Partner::next, Partner::spread, Partner::first};

/// One way to access, with what was seen of it.
struct Point {
  ThroughputRequest request;
  Seen per_sm;  ///< B/cycle of an SM that accesses others
  Seen in_all;  ///< B/s of the device
};

const char* name_of(Operation operation) {
  switch (operation) {
    case Operation::load: return "read";
    case Operation::store: return "write";
    default: return "atomic";
  }
}

const char* name_of(Partner partner) {
  switch (partner) {
    case Partner::own: return "own";
    case Partner::other_half: return "idle";
    case Partner::next: return "next";
    case Partner::spread: return "all in turns";
    default: return "first of all";
  }
}

/// Where all use one memory, the bytes of one SM take many times as long; global memory counts by the last SM, whose
/// end must not weigh.
std::int64_t passes_of(const ThroughputRequest& request) {
  if (request.partner == Partner::first) return 1;
  return request.space == Space::global ? 32 : 8;
}

/// How fast all SMs together use global memory depends on where the launch placed the clusters, by 5 %.
std::int64_t trials_of(const ThroughputRequest& request) { return request.space == Space::global ? 27 : 9; }

std::vector<ThroughputRequest> ways(std::int64_t largest) {
  std::vector<ThroughputRequest> all;
  for (const Operation operation : {Operation::load, Operation::store, Operation::atomic}) {
    const std::int64_t width = operation == Operation::atomic ? 4 : 16;
    for (std::int64_t size = 2; size <= largest; size *= 2) {
      for (const Partner partner : partners) {
        all.push_back({.size = size, .operation = operation, .partner = partner, .width = width});
      }
      all.push_back({.size = size, .operation = operation, .space = Space::global, .width = width});
    }
  }
  return all;
}

std::vector<Point> measure(const Session& session, std::int64_t largest) {
  std::vector<ThroughputRequest> requests;
  const auto all = ways(largest);
  for (const ThroughputRequest& way : all) {
    for (std::int64_t trial = 0; trial < trials_of(way); ++trial) {
      for (const std::int64_t length : {1, 3}) {
        requests.push_back(way);
        requests.back().passes = length * passes_of(way);
        requests.back().trial = trial;
      }
    }
  }
  const auto answers = execute(session, requests);
  std::vector<Point> points;
  std::size_t at = 0;
  for (const ThroughputRequest& way : all) {
    std::vector<double> per_sm;
    std::vector<double> in_all;
    for (std::int64_t trial = 0; trial < trials_of(way); ++trial, at += 2) {
      const Runs runs{requests[at].passes, requests[at + 1].passes, answers[at], answers[at + 1]};
      per_sm.push_back(bytes_per_cycle(runs));
      in_all.push_back(bytes_per_second(runs));
    }
    points.push_back({way, summarize(per_sm, 0.01), summarize(in_all, 0.01)});
  }
  return points;
}

void keep_curve(const Session& session, const std::vector<Point>& points) {
  const auto column = [&](const char* name, auto value) {
    std::vector<double> values;
    values.reserve(points.size());
    for (const Point& point : points) values.push_back(static_cast<double>(value(point)));
    return NamedArray{name, values};
  };
  session.evidence(
      curve, std::vector{column("operation", [](const Point& p) { return static_cast<int>(p.request.operation); }),
                         column("partner", [](const Point& p) { return static_cast<int>(p.request.partner); }),
                         column("space", [](const Point& p) { return static_cast<int>(p.request.space); }),
                         column("cluster_size", [](const Point& p) { return p.request.size; }),
                         column("width_bytes", [](const Point& p) { return p.request.width; }),
                         column("bytes_per_cycle_and_sm", [](const Point& p) { return p.per_sm.value; }),
                         column("bytes_per_second", [](const Point& p) { return p.in_all.value; })});
}

void publish(const Session& session, const std::string& key, const Point& point, const Seen& seen) {
  if (!(seen.interval.low > 0)) return session.inconclusive(key, "longer runs took no longer");
  session.publish({.key = key,
                   .value = seen.value,
                   .method = "two-lengths-difference",
                   .confidence = confidence::hopper::measured,
                   .interval = seen.interval,
                   .samples = seen.trials,
                   .conditions = {{"cluster_size", point.request.size},
                                  {"partner", name_of(point.request.partner)},
                                  {"width", point.request.width}},
                   .evidence = curve});
}

/// The best of all ways of an operation through `space`.
const Point& best(const std::vector<Point>& points, Operation operation, Space space, Seen Point::*measure) {
  const auto worth = [&](const Point& point) {
    return point.request.operation == operation && point.request.space == space ? (point.*measure).value : -1;
  };
  return *std::ranges::max_element(points, {}, worth);
}

/// Rows: cluster size, then B/cycle of an SM by partner, in the order of `partners`.
Value by_pattern(const std::vector<Point>& points, Operation operation) {
  Value rows = Value::list();
  for (const Point& point : points) {
    if (point.request.operation != operation || point.request.space != Space::cluster) continue;
    if (point.request.partner == partners.front()) rows.push_back(Value::list(point.request.size));
    rows.back().push_back(point.per_sm.value);
  }
  return rows;
}

}  // namespace

void find_throughput(const Session& session) {
  expect_clusters(session);
  const std::vector<Point> points = measure(session, session.needed<std::int64_t>("cluster.max_size"));
  keep_curve(session, points);
  for (const Operation operation : {Operation::load, Operation::store, Operation::atomic}) {
    const std::string name = name_of(operation);
    const Point& alone = best(points, operation, Space::cluster, &Point::per_sm);
    publish(session, "dsmem.bandwidth." + name, alone, alone.per_sm);
    const Point& all = best(points, operation, Space::cluster, &Point::in_all);
    publish(session, "dsmem.bandwidth.total." + name, all, all.in_all);
    const Point& global = best(points, operation, Space::global, &Point::in_all);
    publish(session, "dsmem.through_global." + name, global, global.in_all);
    session.publish({.key = "dsmem.bandwidth_by_pattern." + name,
                     .value = by_pattern(points, operation),
                     .method = "two-lengths-difference",
                     .confidence = confidence::hopper::measured,
                     .samples = alone.per_sm.trials,
                     .evidence = curve});
  }
  const auto exchange = [](const Point& point) {
    const bool counts = point.request.operation == Operation::load && point.request.space == Space::cluster &&
                        (point.request.partner == Partner::next || point.request.partner == Partner::spread);
    return counts ? point.per_sm.value : -1;
  };
  const Point& both_ways = *std::ranges::max_element(points, {}, exchange);
  publish(session, "dsmem.bandwidth", both_ways, both_ways.per_sm);
}

}  // namespace tomograph::dsmem
