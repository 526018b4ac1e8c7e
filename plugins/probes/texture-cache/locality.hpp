#ifndef TOMOGRAPH_TEXTURE_CACHE_LOCALITY_HPP
#define TOMOGRAPH_TEXTURE_CACHE_LOCALITY_HPP

#include "tomograph/session/session.hpp"

namespace tomograph::texture_cache {

/// Which texels of a two-dimensional texture come together and go together.
void find_locality(const Session& session);

}  // namespace tomograph::texture_cache

#endif
