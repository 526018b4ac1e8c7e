#ifndef TOMOGRAPH_CACHE_RETAINED_BYTES_HPP
#define TOMOGRAPH_CACHE_RETAINED_BYTES_HPP

#include <cstdint>
#include <span>

namespace tomograph::cache {

/// Bytes that a footprint retained, with their standard error.
struct RetainedBytes {
  double mean = 0;
  double error = 0;
  double scatter = 0;        ///< chi-square of the values that it is pooled from: `degrees` if their errors explain it
  std::int64_t degrees = 0;  ///< of freedom of the scatter, 0 of a single value
};

/// Mean of `values`, weighted by 1 / error^2. Its error grows with the scatter of the values where that is larger than
/// their errors explain. The scatter within the values counts as its own, too. Requires at least one value.
[[nodiscard]] RetainedBytes pooled(std::span<const RetainedBytes> values);

/// Level at which footprints of rising size saturate: `pooled` over all values from the first on that is not
/// significantly below each one after it (3 standard errors; false alarm 1.3e-3 per value, one-sided normal).
/// @throws std::invalid_argument if `rising` is empty.
[[nodiscard]] RetainedBytes level_of(std::span<const RetainedBytes> rising);

}  // namespace tomograph::cache

#endif
