#ifndef TOMOGRAPH_CLASSICAL_METHODS_ANALYSIS_CHANGE_POINT_HPP
#define TOMOGRAPH_CLASSICAL_METHODS_ANALYSIS_CHANGE_POINT_HPP

#include <cstdint>
#include <span>
#include <vector>

/// Where the change point of Größler 2022, section 3.2, is searched for.
namespace tomograph::classical_methods {

/// Whether a second round over a footprint shows misses: more than one load is slower than `threshold`.
[[nodiscard]] bool shows_misses(std::span<const double> latencies, double threshold);

/// Lower and upper boundary of the search: without and with a miss.
struct Region {
  std::int64_t low = 0;
  std::int64_t high = 0;

  /// Whether the region is an eighth of its lower boundary or less, or 128 B.
  [[nodiscard]] bool is_narrow() const;

  /// About 96 sizes from the region's width below it to its width above it, so that the change is well inside.
  [[nodiscard]] std::vector<std::int64_t> sizes() const;
};

}  // namespace tomograph::classical_methods

#endif
