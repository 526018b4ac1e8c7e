#ifndef TOMOGRAPH_CACHE_SATURATION_HPP
#define TOMOGRAPH_CACHE_SATURATION_HPP

#include <cstdint>
#include <optional>
#include <span>

#include "tomograph/cache/retention.hpp"

namespace tomograph::cache {

/// Bytes that a footprint retained, with their standard error.
struct RetainedBytes {
  double mean = 0;
  double error = 0;
};

/// What footprints of rising size retain once they no longer retain more: the mean, by precision, of those from the
/// first on that is not significantly less than all after it. Its error is no less than their scatter says.
/// @throws std::invalid_argument if there are none.
[[nodiscard]] RetainedBytes level_of(std::span<const RetainedBytes> rising);

/// The capacity of a cache whose knee is soft: one that loses some lines before it is full, so that a first miss says
/// little.
struct Saturation {
  RetainedBytes full;     ///< of footprints that are half as large again, and more
  RetainedBytes at_knee;  ///< of a footprint as large as `full`: less, by as much as the knee is soft
  std::int64_t tests = 0;
};

/// Doubles contiguous footprints of lines `stride` apart from `start_bytes` until less than 60 % are retained, and then
/// counts what some larger ones at several places retain, by about `tests` loads in all. If lines at random places of
/// the region retain clearly more, as where the index takes bits that a contiguous footprint does not vary, those
/// count. Policy-free. Nothing if `limit_bytes` still are retained.
[[nodiscard]] std::optional<Saturation> saturation(const Executor& execute, const Subject& subject, std::int64_t stride,
                                                   std::int64_t start_bytes, std::int64_t limit_bytes,
                                                   std::int64_t tests);

}  // namespace tomograph::cache

#endif
