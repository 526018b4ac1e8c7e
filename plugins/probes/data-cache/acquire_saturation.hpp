#ifndef TOMOGRAPH_DATA_CACHE_ACQUIRE_SATURATION_HPP
#define TOMOGRAPH_DATA_CACHE_ACQUIRE_SATURATION_HPP

#include <cstdint>
#include <optional>

#include "tomograph/cache/retained_bytes.hpp"
#include "tomograph/cache/subject.hpp"

namespace tomograph::data_cache {

/// The capacity of a cache that loses some lines before it is full, so that a first miss does not show it.
struct Saturation {
  cache::RetainedBytes full;     ///< of footprints at least 1.5 times as large
  cache::RetainedBytes at_knee;  ///< of a footprint as large as `full`; the softer the knee, the less
  std::int64_t tests = 0;        ///< loads tested
  bool is_at_random = false;     ///< lines lay at random places
};

/// Doubles contiguous footprints of lines `stride` apart from `start_bytes` until less than 60 % are retained, then
/// counts what larger ones at several places retain, by about `tests` loads in all. Lines at random places count
/// instead if they retain clearly more: the index takes bits that a contiguous footprint does not vary. Valid for any
/// policy. Nothing if `limit_bytes` are still retained.
[[nodiscard]] std::optional<Saturation> saturation(const cache::Executor& execute, const cache::Subject& subject,
                                                   std::int64_t stride, std::int64_t start_bytes,
                                                   std::int64_t limit_bytes, std::int64_t tests);

/// What footprints retain that are five times as large as the capacity seen, tested by half of `tests` loads. Even
/// where lines fall into sets by chance, hardly any way is left empty.
[[nodiscard]] cache::RetainedBytes far_beyond(const cache::Executor& execute, const cache::Subject& subject,
                                              std::int64_t stride, const Saturation& seen, std::int64_t tests);

}  // namespace tomograph::data_cache

#endif
