#ifndef TOMOGRAPH_TEXTURE_CACHE_PICTURE_HPP
#define TOMOGRAPH_TEXTURE_CACHE_PICTURE_HPP

#include <cstdint>
#include <optional>
#include <vector>

#include "tomograph/cache/hit_and_miss.hpp"

/// Two-dimensional textures under the questions of caches.
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

/// The block that came with the corner: the rectangle of texels that hit in most trials. Nothing if they form none.
[[nodiscard]] std::optional<Block> fetched_block(const TileMap& map);

/// Share of the texels in which the map agrees with the block in every trial.
[[nodiscard]] double agreement(const TileMap& map, const Block& block);

/// Hits of two texels on every SM, against first loads of texels that another SM has brought into L2.
[[nodiscard]] cache::HitAndMiss hits_and_misses(const cache::Executor& execute, std::int64_t sm_count);

/// For each texel of a tile: the corner of a fresh tile is loaded, then that texel is timed.
[[nodiscard]] TileMap map_tile(const cache::Executor& execute, const cache::Subject& subject);

/// Net latencies of a first walk over texels.
struct Walks {
  std::vector<double> along_x;
  std::vector<double> along_y;
  std::vector<double> in_blocks;
};
[[nodiscard]] Walks first_walks(const cache::Executor& execute, const Block& block);

/// Makes questions about bytes in a row questions about texels: the blocks that a miss fetches are numbered along one
/// axis, row after row or column after column, and byte b of a program's arrays is byte b % block.bytes() of block
/// b / block.bytes(). So what is said about a distance of n blocks is said about n blocks along that axis.
enum class Axis { x, y };
[[nodiscard]] cache::Executor along(Axis axis, const Block& block, cache::Executor execute);

}  // namespace tomograph::texture_cache

#endif
