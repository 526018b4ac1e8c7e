#include "analysis_texture_blocks.hpp"

namespace tomograph::texture_cache {

namespace {

/// Blocks from the top to the bottom of a band. Blocks are numbered along y within bands as wide as the texture.
constexpr std::int64_t column_blocks = 256;

}  // namespace

std::optional<Block> fetched_block(const TileMap& map) {
  // If one load in 1,000 is delayed, most trials of some texel are wrong in one of 300 maps. A wrong texel outside the
  // first row and column leaves no rectangle, so that the probe finds nothing rather than another block.
  const auto fetched = [&](std::int64_t x, std::int64_t y) { return 2 * map.at(x, y) > map.trials; };
  std::int64_t width = 0;
  std::int64_t height = 0;
  while (width < tile && fetched(width, 0)) ++width;
  while (height < tile && fetched(0, height)) ++height;
  for (std::int64_t y = 0; y < tile; ++y) {
    for (std::int64_t x = 0; x < tile; ++x) {
      if (fetched(x, y) != (x < width && y < height)) return std::nullopt;
    }
  }
  return Block{width * chase::node_bytes, height};
}

double agreement(const TileMap& map, const Block& block) {
  std::int64_t agreeing = 0;
  for (std::int64_t y = 0; y < tile; ++y) {
    for (std::int64_t x = 0; x < tile; ++x) {
      const bool inside = x * chase::node_bytes < block.width && y < block.height;
      agreeing += map.at(x, y) == (inside ? map.trials : 0) ? 1 : 0;
    }
  }
  return static_cast<double>(agreeing) / static_cast<double>(tile * tile);
}

bool agrees(const TileMap& map, const Block& block) {
  // Of 1024 texels in three trials, one delayed load in 1,000 makes about three disagree; more than 20 do so once in
  // 1e10 maps.
  constexpr double nearly_all = 0.98;
  return agreement(map, block) >= nearly_all;
}

BlockOrder::BlockOrder(Axis axis, const Block& block)
    : axis_(axis), block_(block), blocks_across_(row_bytes / block.width) {
  for (std::int64_t byte = 0; byte < block.bytes(); ++byte) {
    in_texture_.push_back(byte / block.width * row_bytes + byte % block.width);
  }
}

std::int64_t BlockOrder::offset_in_texture(std::int64_t offset) const {
  const std::int64_t number = offset / std::ssize(in_texture_);
  const std::int64_t inside = offset % std::ssize(in_texture_);
  const std::int64_t columns = number / column_blocks;
  const std::int64_t bands = columns / blocks_across_;
  const std::int64_t across = axis_ == Axis::x ? number % blocks_across_ : columns % blocks_across_;
  const std::int64_t down = axis_ == Axis::x ? number / blocks_across_ : bands * column_blocks + number % column_blocks;
  return down * block_.height * row_bytes + across * block_.width + in_texture_[static_cast<std::size_t>(inside)];
}

std::int64_t BlockOrder::texture_bytes(std::int64_t linear_bytes) const {
  const std::int64_t blocks = (linear_bytes + block_.bytes() - 1) / block_.bytes();
  const std::int64_t rows = axis_ == Axis::x ? 1 : column_blocks;
  const std::int64_t blocks_of_band = rows * blocks_across_;
  const std::int64_t bands = (blocks + blocks_of_band - 1) / blocks_of_band;
  return bands * rows * block_.height * row_bytes;
}

}  // namespace tomograph::texture_cache
