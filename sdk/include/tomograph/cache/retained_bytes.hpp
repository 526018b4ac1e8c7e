#ifndef TOMOGRAPH_CACHE_RETAINED_BYTES_HPP
#define TOMOGRAPH_CACHE_RETAINED_BYTES_HPP

#include <cstdint>
#include <span>

namespace tomograph::cache {

/// Bytes that a footprint retained, with their standard error.
struct RetainedBytes {
  double mean = 0;
  double error = 0;
};

/// Their mean, weighted by precision. Its error is no less than their scatter says. Requires at least one.
[[nodiscard]] RetainedBytes pooled(std::span<const RetainedBytes> values);

/// What footprints of rising size retain once they no longer retain more: the mean, by precision, of those from the
/// first on that is not significantly less than all after it. Its error is no less than their scatter says.
/// @throws std::invalid_argument if there are none.
[[nodiscard]] RetainedBytes level_of(std::span<const RetainedBytes> rising);

}  // namespace tomograph::cache

#endif
