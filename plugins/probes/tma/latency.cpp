#include <array>
#include <optional>
#include <string>

#include "analysis.hpp"
#include "probes.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::tma {

namespace {

constexpr const char* curve = "tma.latency";
/// What else is under way can only delay: the fastest copies count.
constexpr double undisturbed_share = 0.3;

/// One way of copying, and the keys of what is found out about it, if anything is said of it by itself.
struct Way {
  const char* key;
  Method method;
  Direction direction;
};
constexpr std::array ways{Way{"tma.latency", Method::bulk, Direction::load},
                          Way{"tma.tensor.latency", Method::tensor, Direction::load},
                          Way{"tma.store.latency", Method::bulk, Direction::store},
                          Way{"tma.tensor.store.latency", Method::tensor, Direction::store},
                          Way{"", Method::cp_async, Direction::load},
                          Way{"", Method::plain, Direction::load}};

std::vector<LatencyRequest> requests() {
  std::vector<LatencyRequest> all;
  for (const Way& way : ways) {
    const std::int64_t largest =
        way.method == Method::tensor ? std::int64_t{row_bytes} * most_rows : std::int64_t{128} << 10;
    for (std::int64_t tile = row_bytes; tile <= largest; tile *= 2) {
      all.push_back({.method = way.method, .direction = way.direction, .tile = tile});
      for (std::int64_t eighth = 10; tile >= 8192 && tile < largest && eighth < 16; eighth += 2) {
        all.push_back({.method = way.method, .direction = way.direction, .tile = tile * eighth / 8});
      }
    }
  }
  return all;
}

/// What was seen of the copies of one request.
struct Seen {
  LatencyRequest request;
  std::size_t copies = 0;
  std::optional<double> undisturbed;  ///< nothing if looks do not tell
  std::optional<double> usual;        ///< mean of all
};

Seen summarize(const LatencyRequest& request, const LatencyAnswer& answer) {
  if (needs_looks(request.method, request.direction)) {
    return {request, answer.cycles.size(), mean_of_fastest(answer, undisturbed_share), mean_of_fastest(answer, 1)};
  }
  const std::vector<double> times(answer.cycles.begin(), answer.cycles.end());
  return {request, times.size(), mean_of_fastest(times, undisturbed_share), mean_of_fastest(times, 1)};
}

std::vector<Seen> measure(const Session& session) {
  const std::vector<LatencyRequest> asked = requests();
  const std::vector<LatencyAnswer> answers = execute(session, asked);
  std::vector<Seen> seen;
  for (std::size_t i = 0; i < asked.size(); ++i) seen.push_back(summarize(asked[i], answers[i]));
  return seen;
}

void keep_curve(const Session& session, const std::vector<Seen>& seen) {
  std::vector<std::int64_t> method;
  std::vector<std::int64_t> direction;
  std::vector<std::int64_t> tile;
  std::vector<double> fastest;
  std::vector<double> mean;
  for (const Seen& one : seen) {
    if (!one.undisturbed || !one.usual) continue;
    method.push_back(static_cast<std::int64_t>(one.request.method));
    direction.push_back(static_cast<std::int64_t>(one.request.direction));
    tile.push_back(one.request.tile);
    fastest.push_back(*one.undisturbed);
    mean.push_back(*one.usual);
  }
  session.evidence(curve, std::vector<NamedArray>{{"method", method},
                                                  {"direction", direction},
                                                  {"tile_bytes", tile},
                                                  {"undisturbed_cycles", fastest},
                                                  {"mean_cycles", mean}});
}

void publish_fit(const Session& session, const std::string& key, const std::vector<ByTile>& points,
                 std::size_t samples) {
  Value by_tile = Value::list();
  for (const ByTile& point : points) by_tile.push_back(Value::list(point.tile, point.value));
  session.publish({.key = key + "_by_tile",
                   .value = by_tile,
                   .method = "undisturbed-copy",
                   .confidence = confidence::hopper::measured,
                   .samples = samples,
                   .conditions = {{"global_memory", "in the L2"}},
                   .evidence = curve});
  const auto fit = fit_latency(points);
  if (!fit) {
    for (const char* what : {"", ".per_kib"})
      session.inconclusive(key + what, "no tile takes longer than the smallest");
    return;
  }
  const auto publish = [&](const std::string& fact, double value, const Interval& interval) {
    session.publish({.key = fact,
                     .value = value,
                     .method = "fixed-plus-per-size",
                     .confidence = confidence::hopper::measured,
                     .interval = interval,
                     .samples = samples,
                     .conditions = {{"global_memory", "in the L2"}},
                     .evidence = curve});
  };
  publish(key, fit->fixed, fit->fixed_interval);
  publish(key + ".per_kib", fit->per_kib, fit->per_kib_interval);
}

/// How long copies of each tile take where nothing disturbs them. Nothing if looks do not tell of each.
std::optional<std::vector<ByTile>> latencies(const Way& way, const std::vector<Seen>& seen) {
  std::vector<ByTile> result;
  for (const Seen& one : seen) {
    if (way.method != one.request.method || way.direction != one.request.direction) continue;
    if (!one.undisturbed) return std::nullopt;
    result.push_back({one.request.tile, *one.undisturbed});
  }
  return result;
}

/// Which tile comes sooner, so that shorter is better.
std::vector<ByTile> speeds(std::vector<ByTile> latencies) {
  for (ByTile& one : latencies) one.value = 1 / one.value;
  return latencies;
}

void publish_winner(const Session& session, const std::vector<ByTile>& bulk, const std::vector<ByTile>& cp_async,
                    const std::vector<ByTile>& plain, std::size_t samples) {
  constexpr const char* key = "tma.winning_tile.latency";
  const std::vector others{speeds(cp_async), speeds(plain)};
  const auto from = winning_from(speeds(bulk), others, 0.02);
  if (!from) return session.absent(key, "threads bring the largest tile sooner than the TMA");
  session.publish({.key = key,
                   .value = *from,
                   .method = "undisturbed-copy",
                   .confidence = confidence::hopper::compared,
                   .samples = samples,
                   .conditions = {{"others", "128 threads with cp.async or loads of 16 B"}},
                   .evidence = curve});
}

}  // namespace

void find_latency(const Session& session) {
  expect_tma(session);
  const std::vector<Seen> seen = measure(session);
  keep_curve(session, seen);
  const std::size_t samples = seen.front().copies;
  std::vector<std::optional<std::vector<ByTile>>> found;
  for (const Way& way : ways) {
    found.push_back(latencies(way, seen));
    if (*way.key == '\0') continue;
    if (found.back()) {
      publish_fit(session, way.key, *found.back(), samples);
    } else {
      for (const char* what : {"", ".per_kib", "_by_tile"}) {
        session.inconclusive(std::string(way.key) + what, "looks at copies do not tell when they are done");
      }
    }
  }
  if (found[0]) {
    publish_winner(session, *found[0], found[4].value(), found[5].value(), samples);
  } else {
    session.inconclusive("tma.winning_tile.latency", "when copies of the TMA are done is not known");
  }
}

}  // namespace tomograph::tma
