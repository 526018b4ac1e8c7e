#ifndef TOMOGRAPH_DATA_CACHE_ACQUIRE_SATURATION_HPP
#define TOMOGRAPH_DATA_CACHE_ACQUIRE_SATURATION_HPP

#include <cstdint>
#include <optional>

#include "tomograph/cache/retained_bytes.hpp"
#include "tomograph/cache/subject.hpp"

namespace tomograph::data_cache {

/// The capacity of a cache whose knee is soft: one that loses some lines before it is full, so that a first miss says
/// little.
struct Saturation {
  cache::RetainedBytes full;     ///< of footprints that are half as large again, and more
  cache::RetainedBytes at_knee;  ///< of a footprint as large as `full`: less, by as much as the knee is soft
  std::int64_t tests = 0;
};

/// Doubles contiguous footprints of lines `stride` apart from `start_bytes` until less than 60 % are retained, and then
/// counts what some larger ones at several places retain, by about `tests` loads in all. If lines at random places of
/// the region retain clearly more, as where the index takes bits that a contiguous footprint does not vary, those
/// count. Policy-free. Nothing if `limit_bytes` still are retained.
[[nodiscard]] std::optional<Saturation> saturation(const cache::Executor& execute, const cache::Subject& subject,
                                                   std::int64_t stride, std::int64_t start_bytes,
                                                   std::int64_t limit_bytes, std::int64_t tests);

}  // namespace tomograph::data_cache

#endif
