#ifndef TOMOGRAPH_CONSTANT_CACHE_ARRAYS_HPP
#define TOMOGRAPH_CONSTANT_CACHE_ARRAYS_HPP

#include <cstdint>

#include "tomograph/cache/retention.hpp"

/// Constants beyond the largest array that a program can have, in several arrays.
namespace tomograph::constant_cache {

/// Arrays of the largest size that one program can have: at least 1, at most 8.
[[nodiscard]] std::int64_t arrays_together(const cache::Executor& execute, const cache::Subject& subject);

/// Walks `bytes`, one array filled after the other, three times at a stride of `stride`, and loads all of it once more.
[[nodiscard]] cache::Retained retained_in_arrays(const cache::Executor& execute, const cache::Subject& subject,
                                                 std::int64_t bytes, std::int64_t stride);

}  // namespace tomograph::constant_cache

#endif
