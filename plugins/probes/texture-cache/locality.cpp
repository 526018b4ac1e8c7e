#include "locality.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "picture.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/proportion.hpp"
#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/cache/capacity.hpp"
#include "tomograph/cache/line.hpp"
#include "tomograph/cache/questions.hpp"

namespace tomograph::texture_cache {

namespace {

void publish_latency(const Session& session, const cache::HitAndMiss& seen) {
  const auto cycles = seen.cycles_by_sm();
  const auto [low, high] = std::ranges::minmax(cycles);
  session.publish({.key = "texture.latency_2d",
                   .value = analysis::median(cycles),
                   .method = "dependent-chain-total",
                   .confidence = confidence::texture_cache::latency,
                   .interval = Interval{low - 0.5, high + 0.5},
                   .samples = cycles.size(),
                   .conditions = {{"overhead_total", seen.overhead_total}, {"statistic", "median over SMs"}},
                   .evidence = "texture.latency_2d"});
}

void keep_map(const Session& session, const TileMap& map) {
  std::vector<double> x(map.hits.size());
  std::vector<double> y(map.hits.size());
  for (std::size_t i = 0; i < map.hits.size(); ++i) {
    x[i] = static_cast<double>(i % tile);
    y[i] = static_cast<double>(i / tile);
  }
  session.evidence("texture.block_width", std::vector{cache::column("x_texel", x), cache::column("y_texel", y),
                                                      cache::column("hits", {map.hits.begin(), map.hits.end()})});
}

void publish_block(const Session& session, const TileMap& map, const Block& block) {
  // Each texel was tested in every trial; a few stray loads do not make a block another one.
  constexpr double nearly_all = 0.98;
  const double confidence = agreement(map, block) >= nearly_all ? confidence::texture_cache::blocks
                                                                : confidence::texture_cache::blocks_disturbed;
  Fact fact{.key = "texture.block_width",
            .value = block.width,
            .method = "first-load-of-a-tile",
            .confidence = confidence,
            .samples = static_cast<std::uint64_t>(map.trials * tile * tile),
            .conditions = {{"texel", chase::node_bytes}},
            .evidence = "texture.block_width"};
  session.publish(fact);
  fact.key = "texture.block_height";
  fact.value = block.height;
  session.publish(fact);
}

/// The line in blocks along an axis, with the pairs as evidence.
std::optional<std::int64_t> line_blocks(const Session& session, const char* key, Axis axis, const Block& block,
                                        cache::Subject subject) {
  // Enough for any texture cache, and little enough for a texture on every SM.
  subject.largest = std::int64_t{4} << 20;
  const auto execute = along(axis, block, cache::executor(session));
  const auto capacity =
      cache::rough_capacity(execute, subject, block.bytes(), cache::small_footprint / 4, subject.largest / 4);
  if (!capacity) return std::nullopt;
  const auto line = cache::evicted_together(execute, subject, block.bytes(), *capacity, 16 * block.bytes());
  std::vector<double> distance;
  std::vector<double> pairs;
  std::vector<double> apart;
  for (const cache::PairCount& count : line.pairs) {
    distance.push_back(static_cast<double>(count.distance / block.bytes()));
    pairs.push_back(static_cast<double>(count.pairs));
    apart.push_back(static_cast<double>(count.apart));
  }
  session.evidence(key, std::vector{cache::column("distance_blocks", distance), cache::column("pairs", pairs),
                                    cache::column("evicted_apart", apart)});
  if (!line.bytes) return std::nullopt;
  return *line.bytes / block.bytes();
}

void find_line_block(const Session& session, const Block& block, const cache::Subject& subject) {
  const auto across = line_blocks(session, "texture.line_block_width", Axis::x, block, subject);
  const auto down = line_blocks(session, "texture.line_block_height", Axis::y, block, subject);
  const auto line_size = session.fact<std::int64_t>("texture.line_size");
  const bool consistent = across && down && line_size && *across * *down * block.bytes() == *line_size;
  const auto publish = [&](const char* key, std::optional<std::int64_t> value) {
    cache::publish_or(session, value.has_value(),
                      {.key = key,
                       .value = value.value_or(0),
                       .method = consistent ? "evicted-together+line-size" : "evicted-together",
                       .confidence = consistent ? confidence::texture_cache::line_blocks
                                                : confidence::texture_cache::line_blocks_disturbed,
                       .samples = 40,
                       .evidence = key},
                      "neighbouring blocks were never seen to be evicted apart");
  };
  publish("texture.line_block_width", across ? std::optional(*across * block.width) : std::nullopt);
  publish("texture.line_block_height", down ? std::optional(*down * block.height) : std::nullopt);
}

}  // namespace

void find_locality(const Session& session) {
  const auto execute = cache::executor(session);
  const auto seen = hits_and_misses(execute, session.needed<std::int64_t>("device.sm_count"));
  session.evidence("texture.latency_2d",
                   std::vector{cache::column("hit_cycles", seen.hits), cache::column("miss_cycles", seen.misses)});
  if (!seen.threshold) {
    for (const char* fact : {"latency_2d", "block_width", "block_height", "line_block_width", "line_block_height"}) {
      session.absent(std::string("texture.") + fact, "repeated loads of texels take as long as first loads");
    }
    return;
  }
  publish_latency(session, seen);
  const cache::Subject subject{.path = chase::Path::texture_2d, .carveout = 0, .threshold = *seen.threshold};
  const TileMap map = map_tile(execute, subject);
  keep_map(session, map);
  const auto block = fetched_block(map);
  if (!block) {
    for (const char* fact : {"block_width", "block_height", "line_block_width", "line_block_height"}) {
      session.inconclusive(std::string("texture.") + fact, "the texels that come with one load form no rectangle");
    }
    return;
  }
  publish_block(session, map, *block);
  const Walks walks = first_walks(execute, *block);
  session.evidence("texture.walks", std::vector{cache::column("along_x_cycles", walks.along_x),
                                                cache::column("along_y_cycles", walks.along_y),
                                                cache::column("in_blocks_cycles", walks.in_blocks)});
  find_line_block(session, *block, subject);
}

}  // namespace tomograph::texture_cache
