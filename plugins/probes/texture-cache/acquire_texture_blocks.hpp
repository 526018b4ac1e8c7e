#ifndef TOMOGRAPH_TEXTURE_CACHE_ACQUIRE_TEXTURE_BLOCKS_HPP
#define TOMOGRAPH_TEXTURE_CACHE_ACQUIRE_TEXTURE_BLOCKS_HPP

#include <cstdint>
#include <vector>

#include "analysis_texture_blocks.hpp"
#include "tomograph/cache/hit_and_miss.hpp"

/// Experiments on two-dimensional textures.
namespace tomograph::texture_cache {

/// Hits of two texels on every SM, against first loads of texels that another SM has loaded into L2. First loads of the
/// only SM come from memory, so that what L2 serves might pass for hits: then the threshold is at most `linear`, that
/// of textures of one dimension, whose lines loads past the texture cache bring into L2.
[[nodiscard]] cache::HitAndMiss hits_and_misses(const cache::Executor& execute, std::int64_t sm_count,
                                                std::optional<double> linear);

/// For each texel of a tile: the corner of a fresh tile is loaded, then that texel is timed.
[[nodiscard]] TileMap map_tile(const cache::Executor& execute, const cache::Subject& subject);

/// Net latencies of a first walk over texels.
struct Walks {
  std::vector<double> along_x;
  std::vector<double> along_y;
  std::vector<double> in_blocks;
};
[[nodiscard]] Walks first_walks(const cache::Executor& execute, const Block& block);

/// Turns programs about linear bytes into programs about texels, in the BlockOrder of `axis`. A question about a
/// distance of n blocks becomes one about n blocks along that axis.
[[nodiscard]] cache::Executor along(Axis axis, const Block& block, cache::Executor execute);

}  // namespace tomograph::texture_cache

#endif
