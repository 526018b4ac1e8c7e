#ifndef TOMOGRAPH_TEXTURE_CACHE_QUESTIONS_HPP
#define TOMOGRAPH_TEXTURE_CACHE_QUESTIONS_HPP

#include "tomograph/session.hpp"

namespace tomograph::texture_cache {

/// Which texels of a two-dimensional texture are fetched together and evicted together: "latency_2d", "block_width",
/// "block_height", "line_block_width" and "line_block_height".
void find_locality(const Session& session);

}  // namespace tomograph::texture_cache

#endif
