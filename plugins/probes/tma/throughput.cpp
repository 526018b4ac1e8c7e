#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string>
#include <tuple>

#include "analysis.hpp"
#include "probes.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::tma {

namespace {

constexpr const char* curve = "tma.throughput";
constexpr std::int64_t mebi = 1 << 20;
constexpr std::int64_t trials = 5;

/// Where tiles come from or go to.
enum class Place { dram, l2 };

struct Way {
  const char* key;          ///< of the bandwidth, if it is published
  const char* by_tile_key;  ///< of the bandwidth by tile, if it is published
  Method method;
  Direction direction;
  Place place;
};
constexpr std::array ways{
    Way{"tma.bandwidth", "tma.bandwidth_by_tile", Method::bulk, Direction::load, Place::dram},
    Way{"tma.tensor.bandwidth", "tma.tensor.bandwidth_by_tile", Method::tensor, Direction::load, Place::dram},
    Way{"tma.store.bandwidth", "tma.store.bandwidth_by_tile", Method::bulk, Direction::store, Place::dram},
    Way{"tma.bandwidth.l2", "tma.l2_bandwidth_by_tile", Method::bulk, Direction::load, Place::l2},
    Way{"", "tma.cp_async_l2_bandwidth_by_tile", Method::cp_async, Direction::load, Place::l2},
    Way{"", "tma.plain_l2_bandwidth_by_tile", Method::plain, Direction::load, Place::l2}};

struct Point {
  std::size_t way = 0;
  ThroughputRequest request;
  double value = 0;  ///< B/s
};

/// Bytes of global memory: far more than the L2 holds, or well below half of it, where every SM finds its near part.
std::int64_t region_of(const Session& session, Place place) {
  const std::int64_t l2 = session.fact<std::int64_t>("l2.nominal_size").value_or(32 * mebi);
  return place == Place::dram ? std::max(1024 * mebi, 8 * l2) : std::max(l2 * 2 / 5, mebi);
}

std::vector<Point> surface(const Session& session) {
  const std::int64_t shared = session.fact<std::int64_t>("device.shared_memory_per_sm").value_or(228 * 1024);
  std::vector<Point> points;
  for (std::size_t way = 0; way < ways.size(); ++way) {
    for (std::int64_t tile = row_bytes; tile <= std::int64_t{32} << 10; tile *= 2) {
      for (const std::int64_t stages : {1, 2, 4, 8}) {
        for (const std::int64_t ctas : {1, 2, 4}) {
          if (ctas * (stages * tile + 2048) > shared) continue;
          if (ways[way].method == Method::plain && stages > 1) continue;
          ThroughputRequest request{.method = ways[way].method,
                                    .direction = ways[way].direction,
                                    .tile = tile,
                                    .stages = stages,
                                    .ctas_per_sm = ctas,
                                    .region = region_of(session, ways[way].place)};
          // As many rounds of all buffers at least as let the beginning and the end not matter.
          request.sm_bytes = std::clamp(32 * tile * stages * ctas, mebi / 8, mebi);
          points.push_back({way, request, 0});
        }
      }
    }
  }
  return points;
}

void measure(const Session& session, std::vector<Point>& points) {
  std::vector<ThroughputRequest> requests;
  requests.reserve(points.size());
  for (const Point& point : points) requests.push_back(point.request);
  const auto answers = execute(session, requests);
  for (std::size_t i = 0; i < points.size(); ++i) points[i].value = bytes_per_second(answers[i]);
}

void keep_curve(const Session& session, const std::vector<Point>& points) {
  const auto column = [&](const char* name, auto value) {
    std::vector<double> values;
    values.reserve(points.size());
    for (const Point& point : points) values.push_back(static_cast<double>(value(point)));
    return NamedArray{name, values};
  };
  session.evidence(
      curve, std::vector{column("method", [](const Point& p) { return static_cast<int>(p.request.method); }),
                         column("direction", [](const Point& p) { return static_cast<int>(p.request.direction); }),
                         column("region_bytes", [](const Point& p) { return p.request.region; }),
                         column("tile_bytes", [](const Point& p) { return p.request.tile; }),
                         column("stages", [](const Point& p) { return p.request.stages; }),
                         column("ctas_per_sm", [](const Point& p) { return p.request.ctas_per_sm; }),
                         column("bytes_per_second", [](const Point& p) { return p.value; })});
}

/// A shape after more looks, each with more bytes.
struct Seen {
  ThroughputRequest request;
  double value = 0;
  Interval interval{};
};

/// Of the points that are alike by `kind`, the `count` that looked best.
template <typename Kind>
std::vector<Point> best_looking(std::span<const Point> points, std::size_t count, Kind kind) {
  std::vector<Point> sorted(points.begin(), points.end());
  std::ranges::sort(sorted, [&](const Point& a, const Point& b) {
    return std::tuple(kind(a), -a.value) < std::tuple(kind(b), -b.value);
  });
  std::vector<Point> chosen;
  std::size_t taken = 0;
  for (const Point& point : sorted) {
    const bool same = !chosen.empty() && kind(chosen.back()) == kind(point);
    taken = same ? taken + 1 : 1;
    if (taken <= count) chosen.push_back(point);
  }
  return chosen;
}

Seen summarize(const ThroughputRequest& request, const std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax(values);
  const double margin = high - low + 0.01 * high;
  return {request, analysis::median(values), {low - margin, high + margin}};
}

std::vector<Seen> look_again(const Session& session, const std::vector<Point>& points) {
  std::vector<ThroughputRequest> requests;
  for (std::int64_t trial = 1; trial <= trials; ++trial) {
    for (const Point& point : points) {
      requests.push_back(point.request);
      requests.back().sm_bytes = point.request.tile < 1024 ? mebi / 4 : 4 * mebi;
      requests.back().trial = trial;
    }
  }
  const auto answers = execute(session, requests);
  std::vector<Seen> seen;
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::vector<double> values;
    for (std::size_t at = i; at < answers.size(); at += points.size()) values.push_back(bytes_per_second(answers[at]));
    seen.push_back(summarize(requests[i], values));
  }
  return seen;
}

/// Of each way, the best of each tile, tiles ascending.
std::vector<std::vector<Seen>> best_of_ways(const Session& session, const std::vector<Point>& points) {
  constexpr std::size_t finalists = 4;
  const auto chosen =
      best_looking(points, finalists, [](const Point& one) { return std::tuple(one.way, one.request.tile); });
  const auto all = look_again(session, chosen);
  std::vector<std::vector<Seen>> best(ways.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto& own = best[chosen[i].way];
    if (own.empty() || own.back().request.tile != all[i].request.tile) {
      own.push_back(all[i]);
    } else if (all[i].value > own.back().value) {
      own.back() = all[i];
    }
  }
  return best;
}

Value shape(const ThroughputRequest& request) {
  return {{"tile", request.tile}, {"stages", request.stages}, {"ctas_per_sm", request.ctas_per_sm}};
}

std::vector<ByTile> by_tile(const std::vector<Seen>& best) {
  std::vector<ByTile> values;
  values.reserve(best.size());
  for (const Seen& one : best) values.push_back({one.request.tile, one.value});
  return values;
}

void publish_way(const Session& session, const Way& way, const std::vector<Seen>& best) {
  Value rows = Value::list();
  for (const Seen& one : best) rows.push_back(Value::list(one.request.tile, one.value));
  session.publish({.key = way.by_tile_key,
                   .value = rows,
                   .method = "best-of-surface",
                   .confidence = confidence::hopper::measured,
                   .samples = trials,
                   .evidence = curve});
  if (*way.key == '\0') return;
  const Seen& most = *std::ranges::max_element(best, {}, &Seen::value);
  session.publish({.key = way.key,
                   .value = most.value,
                   .method = "best-of-surface",
                   .confidence = confidence::hopper::measured,
                   .interval = most.interval,
                   .samples = trials,
                   .conditions = shape(most.request),
                   .evidence = curve});
}

void publish_tile(const Session& session, const char* key, std::int64_t tile, double confidence, Value conditions) {
  session.publish({.key = key,
                   .value = tile,
                   .method = "best-of-surface",
                   .confidence = confidence,
                   .samples = trials,
                   .conditions = std::move(conditions),
                   .evidence = curve});
}

/// Of bulk copies from memory by so many CTAs on each SM, the best of each tile.
std::map<std::int64_t, std::vector<ByTile>> by_ctas(const Session& session, std::vector<Point> points) {
  std::erase_if(points, [](const Point& one) { return one.way != 0; });
  const auto shapes =
      best_looking(points, 1, [](const Point& one) { return std::tuple(one.request.ctas_per_sm, one.request.tile); });
  std::map<std::int64_t, std::vector<ByTile>> curves;
  for (const Seen& one : look_again(session, shapes)) {
    curves[one.request.ctas_per_sm].push_back({one.request.tile, one.value});
  }
  return curves;
}

/// Pairs: CTAs on an SM, tile with which so many reach `share` of `most`. Where that is not between two tiles, nothing.
void publish_saturating_by_ctas(const Session& session, const std::map<std::int64_t, std::vector<ByTile>>& curves,
                                double most) {
  constexpr const char* key = "tma.saturating_tile_by_ctas";
  constexpr double share = 0.85;
  constexpr double error = 0.02;  // of either bandwidth
  Value rows = Value::list();
  Value intervals = Value::list();
  for (const auto& [ctas, curve_of_ctas] : curves) {
    const auto tile = reaching_tile(curve_of_ctas, share * most);
    const auto low = reaching_tile(curve_of_ctas, share * (1 - error) * most);
    const auto high = reaching_tile(curve_of_ctas, share * (1 + error) * most);
    if (!tile || !low || !high) continue;
    rows.push_back(Value::list(ctas, *tile));
    intervals.push_back(Value::list(*low, *high));
  }
  if (rows.empty()) return session.inconclusive(key, "no two tiles lie to either side of the line");
  session.publish({.key = key,
                   .value = rows,
                   .method = "best-of-surface",
                   .confidence = confidence::hopper::compared,
                   .samples = trials,
                   .conditions = {{"reaches", share}, {"stages", "up to 8"}, {"intervals", intervals}},
                   .evidence = curve});
}

}  // namespace

void find_throughput(const Session& session) {
  expect_tma(session);
  std::vector<Point> points = surface(session);
  measure(session, points);
  keep_curve(session, points);
  const auto best = best_of_ways(session, points);
  for (std::size_t way = 0; way < ways.size(); ++way) publish_way(session, ways[way], best[way]);
  publish_tile(session, "tma.saturating_tile", saturating_tile(by_tile(best[0]), 0.9), confidence::hopper::compared,
               {{"reaches", 0.9}, {"stages_and_ctas", "as many as it takes"}});
  publish_saturating_by_ctas(session, by_ctas(session, points),
                             std::ranges::max(by_tile(best[0]), {}, &ByTile::value).value);
  const std::vector others{by_tile(best[4]), by_tile(best[5])};
  const auto from = winning_from(by_tile(best[3]), others, 0.03);
  if (!from) return session.absent("tma.winning_tile", "threads bring the largest tiles faster than the TMA");
  publish_tile(session, "tma.winning_tile", *from, confidence::hopper::compared,
               {{"others", "128 threads with cp.async or loads of 16 B"},
                {"smallest_tried", row_bytes},
                {"global_memory", "in the L2"}});
}

}  // namespace tomograph::tma
