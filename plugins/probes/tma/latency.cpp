#include <array>
#include <string>

#include "analysis.hpp"
#include "probes.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::tma {

namespace {

constexpr const char* curve = "tma.latency";
/// A look can be late but never early, and what else is under way can only delay.
constexpr double undisturbed = 0.1;

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

void keep_curve(const Session& session, const std::vector<LatencyRequest>& asked,
                const std::vector<LatencyAnswer>& answers) {
  std::vector<std::int64_t> method;
  std::vector<std::int64_t> direction;
  std::vector<std::int64_t> tile;
  std::array<std::vector<double>, 3> quantiles;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    method.push_back(static_cast<std::int64_t>(asked[i].method));
    direction.push_back(static_cast<std::int64_t>(asked[i].direction));
    tile.push_back(asked[i].tile);
    const std::array shares{0.1, 0.5, 0.9};
    for (std::size_t j = 0; j < shares.size(); ++j) {
      quantiles[j].push_back(analysis::quantile(answers[i].cycles, shares[j]));
    }
  }
  session.evidence(curve, std::vector<NamedArray>{{"method", method},
                                                  {"direction", direction},
                                                  {"tile_bytes", tile},
                                                  {"low_cycles", quantiles[0]},
                                                  {"median_cycles", quantiles[1]},
                                                  {"high_cycles", quantiles[2]}});
}

void publish_fit(const Session& session, const std::string& key, const std::vector<ByTile>& points,
                 std::size_t samples) {
  Json by_tile = Json::array();
  for (const ByTile& point : points) by_tile.push_back({point.tile, point.value});
  session.publish({.key = key + "_by_tile",
                   .value = by_tile,
                   .method = "undisturbed-look",
                   .confidence = 0.99,
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
                     .confidence = 0.99,
                     .interval = interval,
                     .samples = samples,
                     .conditions = {{"global_memory", "in the L2"}},
                     .evidence = curve});
  };
  publish(key, fit->fixed, fit->fixed_interval);
  publish(key + ".per_kib", fit->per_kib, fit->per_kib_interval);
}

/// What is seen of one way where nothing disturbs it.
std::vector<ByTile> latencies(const Way& way, const std::vector<LatencyRequest>& asked,
                              const std::vector<LatencyAnswer>& answers) {
  std::vector<ByTile> result;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (way.method != asked[i].method || way.direction != asked[i].direction) continue;
    result.push_back({asked[i].tile, analysis::quantile(answers[i].cycles, undisturbed)});
  }
  return result;
}

/// Which tile comes sooner, so that shorter is better.
std::vector<ByTile> speeds(const Way& way, const std::vector<LatencyRequest>& asked,
                           const std::vector<LatencyAnswer>& answers) {
  std::vector<ByTile> result = latencies(way, asked, answers);
  for (ByTile& one : result) one.value = 1 / one.value;
  return result;
}

}  // namespace

void find_latency(const Session& session) {
  expect_tma(session);
  const std::vector<LatencyRequest> asked = requests();
  const std::vector<LatencyAnswer> answers = execute(session, asked);
  keep_curve(session, asked, answers);
  for (const Way& way : ways) {
    if (*way.key == '\0') continue;
    publish_fit(session, way.key, latencies(way, asked, answers), answers.front().cycles.size());
  }
  const std::vector others{speeds(ways[4], asked, answers), speeds(ways[5], asked, answers)};
  const auto from = winning_from(speeds(ways[0], asked, answers), others, 0.02);
  const char* key = "tma.winning_tile.latency";
  if (!from) return session.absent(key, "threads bring the largest tile sooner than the TMA");
  session.publish({.key = key,
                   .value = *from,
                   .method = "undisturbed-look",
                   .confidence = 0.9,
                   .samples = answers.front().cycles.size(),
                   .conditions = {{"others", "128 threads with cp.async or loads of 16 B"}},
                   .evidence = curve});
}

}  // namespace tomograph::tma
