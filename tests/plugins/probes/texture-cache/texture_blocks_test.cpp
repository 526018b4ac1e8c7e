#include <set>

#include "acquire_texture_blocks.hpp"
#include "analysis_texture_blocks.hpp"
#include "catch.hpp"

namespace {

using namespace tomograph;
using namespace tomograph::texture_cache;

/// The map of a cache that fetches `block` with the corner.
TileMap map_of(const Block& block) {
  TileMap map{.trials = 3, .hits = {}};
  for (std::int64_t y = 0; y < tile; ++y) {
    for (std::int64_t x = 0; x < tile; ++x) {
      map.hits.push_back(x * chase::node_bytes < block.width && y < block.height ? map.trials : 0);
    }
  }
  return map;
}

std::int64_t& at(TileMap& map, std::size_t x, std::size_t y) { return map.hits[y * tile + x]; }

constexpr Block block{.width = 32, .height = 4};

}  // namespace

TEST_CASE("the block is the rectangle of texels that are fetched with its corner") {
  CHECK(fetched_block(map_of(block)) == block);
  CHECK(fetched_block(map_of({8, 1})) == Block{8, 1});
  CHECK(agrees(map_of(block), block));
}

TEST_CASE("loads that L2 serves are no hits, though the first loads of an only SM come from memory") {
  const cache::Executor execute = [](std::span<const chase::Program> programs) {
    std::vector<chase::Result> results;
    for (const chase::Program& program : programs) {
      const bool times_hits = program.rings.front().size() == 2;
      chase::Result& result = results.emplace_back();
      result.sms = {0};
      if (times_hits) result.totals = {2048 * 50};
      const std::vector<std::uint32_t> latency(64, times_hits ? 50 : 450);
      result.traces = {{latency, std::vector<std::uint32_t>(latency.size())}};
    }
    return results;
  };
  CHECK(hits_and_misses(execute, 1, std::nullopt).threshold->cycles > 200);
  CHECK(hits_and_misses(execute, 1, 124).threshold->cycles == 124);
}

TEST_CASE("one delayed load of a texel makes the block no other one") {
  TileMap map = map_of(block);
  at(map, 1, 1) = 2;
  at(map, 20, 20) = 1;
  CHECK(fetched_block(map) == block);
  CHECK(agreement(map, block) < 1);
  CHECK(agrees(map, block));
}

TEST_CASE("texels that form no rectangle make no block") {
  TileMap map = map_of(block);
  at(map, 1, 1) = 0;
  CHECK_FALSE(fetched_block(map));
}

TEST_CASE("a map that disagrees in more than one texel of fifty does not agree with the block") {
  TileMap map = map_of(block);
  for (std::size_t x = 0; x < tile; ++x) at(map, x, 30) = 1;
  CHECK(fetched_block(map) == block);
  CHECK_FALSE(agrees(map, block));
}

TEST_CASE("blocks that follow one another in the array follow one another along the axis") {
  const BlockOrder along_x(Axis::x, block);
  const BlockOrder along_y(Axis::y, block);
  CHECK(along_x.offset_in_texture(0) == 0);
  CHECK(along_x.offset_in_texture(block.bytes()) == block.width);
  CHECK(along_y.offset_in_texture(block.bytes()) == block.height * row_bytes);
  CHECK(along_x.offset_in_texture(block.width) == row_bytes);
  CHECK(along_x.offset_in_texture(block.bytes() * row_bytes / block.width) == block.height * row_bytes);
}

TEST_CASE("no two bytes of the array lie at the same place of the texture, and all lie inside") {
  for (const Axis axis : {Axis::x, Axis::y}) {
    const BlockOrder order(axis, block);
    constexpr std::int64_t bytes = 64 << 10;
    std::set<std::int64_t> places;
    for (std::int64_t offset = 0; offset < bytes; ++offset) places.insert(order.offset_in_texture(offset));
    CHECK(std::ssize(places) == bytes);
    CHECK(*places.rbegin() < order.texture_bytes(bytes));
  }
}

TEST_CASE("blocks of one row overlap nowhere, however many a texture holds") {
  constexpr Block row{.width = 128, .height = 1};
  constexpr std::int64_t bytes = 4 << 20;
  for (const Axis axis : {Axis::x, Axis::y}) {
    const BlockOrder order(axis, row);
    std::set<std::int64_t> places;
    for (std::int64_t offset = 0; offset < bytes; offset += row.bytes()) places.insert(order.offset_in_texture(offset));
    CHECK(std::ssize(places) == bytes / row.bytes());
    CHECK(*places.rbegin() + row.width <= order.texture_bytes(bytes));
  }
}
