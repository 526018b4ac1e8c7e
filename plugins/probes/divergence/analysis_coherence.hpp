#ifndef TOMOGRAPH_DIVERGENCE_ANALYSIS_COHERENCE_HPP
#define TOMOGRAPH_DIVERGENCE_ANALYSIS_COHERENCE_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// How many neighbouring threads must follow the same branch. Pure functions.
namespace tomograph::divergence {

/// Cycles per instruction where so many consecutive threads follow the same branch, one number per repetition.
struct WidthPoint {
  std::int64_t width = 0;
  std::vector<double> cpi;
};

/// The points whose widths are powers of two.
[[nodiscard]] std::vector<WidthPoint> powers_of_two(std::span<const WidthPoint> curve);

/// How many consecutive threads must follow the same branch for full performance.
struct Coherence {
  std::int64_t threads = 0;
  std::size_t agreeing = 0;  ///< repetitions that give the same number by themselves
  std::size_t total = 0;
};

/// The smallest width from which on all are less than `tolerance` slower than the fastest; nothing if only the widest
/// is that fast. `curve` has ascending widths, each a multiple of the one before, with equally many repetitions.
[[nodiscard]] std::optional<Coherence> coherence(std::span<const WidthPoint> curve, double tolerance);

}  // namespace tomograph::divergence

#endif
