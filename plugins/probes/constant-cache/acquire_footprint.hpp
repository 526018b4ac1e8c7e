#ifndef TOMOGRAPH_CONSTANT_CACHE_ACQUIRE_FOOTPRINT_HPP
#define TOMOGRAPH_CONSTANT_CACHE_ACQUIRE_FOOTPRINT_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "analysis_footprint.hpp"
#include "tomograph/cache/subject.hpp"

/// Experiments that walk through constants of several arrays.
namespace tomograph::constant_cache {

/// Arrays of the largest size that a program can have together, up to 8.
[[nodiscard]] std::int64_t arrays_together(const cache::Executor& execute, const cache::Subject& subject);

/// Walks each footprint, blocks of `space` in ascending order, until the cache has settled, and times two more walks.
[[nodiscard]] std::vector<FootprintWalk> walk_footprints(const cache::Executor& execute, const cache::Subject& subject,
                                                         const ConstantSpace& space,
                                                         std::span<const std::vector<std::int64_t>> footprints);

}  // namespace tomograph::constant_cache

#endif
