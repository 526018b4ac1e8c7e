#ifndef TOMOGRAPH_TEXTURE_CACHE_PUBLISH_HPP
#define TOMOGRAPH_TEXTURE_CACHE_PUBLISH_HPP

#include <optional>

#include "acquire_texture_blocks.hpp"
#include "tomograph/cache/line.hpp"
#include "tomograph/session.hpp"

namespace tomograph::texture_cache {

/// "texture.latency_2d". Requires seen.threshold.
void publish_latency(const Session& session, const cache::HitAndMiss& seen);

/// The map as evidence.
void keep_map(const Session& session, const TileMap& map);

/// "texture.block_width" and "texture.block_height".
void publish_block(const Session& session, const TileMap& map, const Block& block);

/// The first walks as evidence.
void keep_walks(const Session& session, const Walks& walks);

/// The pairs that tell the line along one axis as evidence.
void keep_pairs(const Session& session, const char* key, const cache::Line& line, const Block& block);

/// "texture.line_block_width" and "texture.line_block_height", from the line in blocks along either axis.
void publish_line_block(const Session& session, const Block& block, std::optional<std::int64_t> across,
                        std::optional<std::int64_t> down);

}  // namespace tomograph::texture_cache

#endif
