#include "publish.hpp"

#include <algorithm>
#include <utility>

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/analysis/scatter.hpp"
#include "tomograph/cache/questions.hpp"
#include "tomograph/column.hpp"

namespace tomograph::texture_cache {

void publish_latency(const Session& session, const cache::HitAndMiss& seen) {
  const auto cycles = seen.cycles_by_sm();
  const auto [low, high] = std::ranges::minmax(cycles);
  Value conditions = analysis::scatter_of(seen.hits);
  conditions["overhead_total"] = seen.overhead_total;
  conditions["statistic"] = "median over SMs";
  session.publish({.key = "texture.latency_2d",
                   .value = analysis::median(cycles),
                   .method = "dependent-chain-total",
                   .confidence = confidence::texture_cache::latency,
                   .interval = Interval{low - 0.5, high + 0.5},
                   .samples = cycles.size(),
                   .conditions = std::move(conditions),
                   .evidence = "texture.latency_2d"});
}

void keep_map(const Session& session, const TileMap& map) {
  std::vector<double> x(map.hits.size());
  std::vector<double> y(map.hits.size());
  for (std::size_t i = 0; i < map.hits.size(); ++i) {
    x[i] = static_cast<double>(i % tile);
    const auto row = i / tile;
    y[i] = static_cast<double>(row);
  }
  session.evidence("texture.block_width", std::vector{cache::column("x_texel", x), cache::column("y_texel", y),
                                                      cache::column("hits", {map.hits.begin(), map.hits.end()})});
}

void publish_block(const Session& session, const TileMap& map, const Block& block) {
  const double confidence =
      agrees(map, block) ? confidence::texture_cache::blocks : confidence::texture_cache::blocks_disturbed;
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

void keep_walks(const Session& session, const Walks& walks) {
  session.evidence("texture.walks", std::vector{cache::column("along_x_cycles", walks.along_x),
                                                cache::column("along_y_cycles", walks.along_y),
                                                cache::column("in_blocks_cycles", walks.in_blocks)});
}

void keep_pairs(const Session& session, const char* key, const cache::Line& line, const Block& block) {
  const auto blocks = [&](const cache::PairCount& count) { return count.distance / block.bytes(); };
  session.evidence(key, std::vector{column("distance_blocks", line.pairs, blocks),
                                    column("pairs", line.pairs, &cache::PairCount::pairs),
                                    column("evicted_apart", line.pairs, &cache::PairCount::apart)});
}

void publish_line_block(const Session& session, const Block& block, std::optional<std::int64_t> across,
                        std::optional<std::int64_t> down) {
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
                      "neighbouring blocks were always evicted together");
  };
  publish("texture.line_block_width", across ? std::optional(*across * block.width) : std::nullopt);
  publish("texture.line_block_height", down ? std::optional(*down * block.height) : std::nullopt);
}

}  // namespace tomograph::texture_cache
