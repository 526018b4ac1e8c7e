#ifndef TOMOGRAPH_CACHE_LEVELS_HPP
#define TOMOGRAPH_CACHE_LEVELS_HPP

#include "tomograph/cache/level.hpp"

/// The levels that more than one plugin measures.
namespace tomograph::cache {

inline constexpr Level l1_data{.prefix = "l1_data",
                               .probe = "data-cache/l1.",
                               .name = "L1",
                               .scope = TOMOGRAPH_PER_SM,
                               .path = chase::Path::global_ca};
inline constexpr Level read_only{.prefix = "read_only",
                                 .probe = "read-only-cache/",
                                 .name = "the read-only cache",
                                 .scope = TOMOGRAPH_PER_SM,
                                 .path = chase::Path::global_nc};
inline constexpr Level texture{.prefix = "texture",
                               .probe = "texture-cache/",
                               .name = "the texture cache",
                               .scope = TOMOGRAPH_PER_SM,
                               .path = chase::Path::texture,
                               .disturbed = true};
inline constexpr Level l2{.prefix = "l2",
                          .probe = "data-cache/l2.",
                          .name = "L2",
                          .scope = TOMOGRAPH_PER_DEVICE,
                          .path = chase::Path::global_cg,
                          .shared = true,
                          .above = &l1_data,
                          .next = "memory"};

}  // namespace tomograph::cache

#endif
