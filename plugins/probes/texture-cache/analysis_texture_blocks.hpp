#ifndef TOMOGRAPH_TEXTURE_CACHE_ANALYSIS_TEXTURE_BLOCKS_HPP
#define TOMOGRAPH_TEXTURE_CACHE_ANALYSIS_TEXTURE_BLOCKS_HPP

#include <cstdint>
#include <optional>
#include <vector>

#include "tomograph/chase.hpp"

/// Blocks of a two-dimensional texture: the rectangles of texels that a cache fetches and evicts as a whole.
namespace tomograph::texture_cache {

inline constexpr std::int64_t row_bytes = 8192;  ///< of every texture here
inline constexpr std::int64_t row_texels = row_bytes / chase::node_bytes;
inline constexpr std::int64_t tile = 32;  ///< texels; no block is wider or higher

/// The texel (x, y) as an offset in an array of texture memory.
[[nodiscard]] constexpr std::int64_t texel(std::int64_t x, std::int64_t y) {
  return y * row_bytes + x * chase::node_bytes;
}

/// A rectangle of texels with its corner at a multiple of its sides.
struct Block {
  std::int64_t width = 0;   ///< bytes along x
  std::int64_t height = 0;  ///< rows
  [[nodiscard]] std::int64_t bytes() const { return width * height; }
  bool operator==(const Block&) const = default;
};

/// How often the texel (x, y) of a tile hit after only the tile's corner was loaded.
struct TileMap {
  std::int64_t trials = 0;
  std::vector<std::int64_t> hits;  ///< row by row

  [[nodiscard]] std::int64_t at(std::int64_t x, std::int64_t y) const {
    return hits[static_cast<std::size_t>(y * tile + x)];
  }
};

/// The block that was fetched with the corner: the rectangle of texels that hit in most trials. Nothing if they form
/// none.
[[nodiscard]] std::optional<Block> fetched_block(const TileMap& map);

/// Share of the texels in which the map agrees with the block in every trial.
[[nodiscard]] double agreement(const TileMap& map, const Block& block);

/// Whether every load agrees with the block, but for rare delayed ones.
[[nodiscard]] bool agrees(const TileMap& map, const Block& block);

enum class Axis { x, y };

/// Numbers the blocks of a texture along one axis, row after row or column after column. Byte b of a linear array is
/// byte b % block.bytes() of block b / block.bytes().
class BlockOrder {
 public:
  BlockOrder(Axis axis, const Block& block);

  /// Where byte `offset` of the linear array lies in the texture.
  [[nodiscard]] std::int64_t offset_in_texture(std::int64_t offset) const;

  /// Bytes of a texture that has room for so many linear bytes.
  [[nodiscard]] std::int64_t texture_bytes(std::int64_t linear_bytes) const;

 private:
  Axis axis_;
  Block block_;
  std::int64_t blocks_across_;
  std::vector<std::int64_t> in_texture_;  ///< by byte of a block: where it lies from the block's corner on
};

}  // namespace tomograph::texture_cache

#endif
