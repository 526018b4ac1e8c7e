#include <string>
#include <utility>

#include "publish.hpp"
#include "tomograph/analysis/confidence.hpp"

namespace tomograph::tma {

namespace {

constexpr const char* latency_evidence = "tma.latency";

void keep_curve(const Session& session, const std::vector<Latency>& latencies) {
  std::vector<std::int64_t> method;
  std::vector<std::int64_t> direction;
  std::vector<std::int64_t> tile;
  std::vector<double> undisturbed;
  std::vector<double> mean;
  for (const Latency& one : latencies) {
    if (!one.undisturbed || !one.mean) continue;
    method.push_back(static_cast<std::int64_t>(one.request.method));
    direction.push_back(static_cast<std::int64_t>(one.request.direction));
    tile.push_back(one.request.tile);
    undisturbed.push_back(*one.undisturbed);
    mean.push_back(*one.mean);
  }
  session.evidence(latency_evidence, std::vector<NamedArray>{{"method", method},
                                                             {"direction", direction},
                                                             {"tile_bytes", tile},
                                                             {"undisturbed_cycles", undisturbed},
                                                             {"mean_cycles", mean}});
}

Fact latency_fact(const std::string& key, Value value, const char* method, std::size_t samples) {
  return {.key = key,
          .value = std::move(value),
          .method = method,
          .confidence = confidence::hopper::measured,
          .samples = samples,
          .conditions = {{"global_memory", "in the L2"}},
          .evidence = latency_evidence};
}

void publish_fit(const Session& session, const std::string& key, const std::vector<ByTile>& points,
                 std::size_t samples) {
  Value rows = Value::list();
  for (const ByTile& point : points) rows.push_back(Value::list(point.tile, point.value));
  session.publish(latency_fact(key + "_by_tile", rows, "undisturbed-copy", samples));
  const auto fit = fit_latency(points);
  const auto publish = [&](const std::string& fact_key, double value, const Interval& interval) {
    Fact fact = latency_fact(fact_key, value, "fixed-plus-per-size", samples);
    fact.interval = interval;
    session.publish(fact);
  };
  if (fit) {
    publish(key, fit->fixed, fit->fixed_interval);
    publish(key + ".per_kib", fit->per_kib, fit->per_kib_interval);
    return;
  }
  for (const char* suffix : {"", ".per_kib"}) {
    session.inconclusive(key + suffix, "fewer than three tiles take longer than the smallest one");
  }
}

void publish_winner(const Session& session, const std::optional<std::vector<ByTile>>& bulk,
                    const std::vector<std::vector<ByTile>>& threads, std::size_t samples) {
  constexpr const char* key = "tma.winning_tile.latency";
  if (!bulk) return session.inconclusive(key, "the end of loads by the TMA is not known");
  const auto from = fastest_from(*bulk, threads);
  if (!from) return session.absent(key, "threads load the largest tile faster than the TMA");
  session.publish({.key = key,
                   .value = *from,
                   .method = "undisturbed-copy",
                   .confidence = confidence::hopper::compared,
                   .samples = samples,
                   .conditions = {{"others", "128 threads with cp.async or loads of 16 B"}},
                   .evidence = latency_evidence});
}

}  // namespace

void publish(const Session& session, const std::vector<Latency>& latencies) {
  keep_curve(session, latencies);
  const std::size_t samples = latencies.front().copies;
  for (const LatencyKind& kind : latency_kinds) {
    if (*kind.key == '\0') continue;
    if (const auto points = latency_curve(latencies, kind.method, kind.direction)) {
      publish_fit(session, kind.key, *points, samples);
      continue;
    }
    for (const char* suffix : {"", ".per_kib", "_by_tile"}) {
      session.inconclusive(std::string(kind.key) + suffix, "polls of the barrier do not show when copies are done");
    }
  }
  publish_winner(session, latency_curve(latencies, Method::bulk, Direction::load),
                 {latency_curve(latencies, Method::cp_async, Direction::load).value(),
                  latency_curve(latencies, Method::plain, Direction::load).value()},
                 samples);
}

}  // namespace tomograph::tma
