#ifndef TOMOGRAPH_DIVERGENCE_BRANCH_WIDTH_HPP
#define TOMOGRAPH_DIVERGENCE_BRANCH_WIDTH_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tomograph/session/session.hpp"

namespace tomograph::divergence {

/// Cycles per instruction where so many consecutive threads follow the same branch, one number per repetition.
struct WidthPoint {
  std::int64_t width = 0;
  std::vector<double> cpi;
};

/// How many consecutive threads must follow the same branch for nothing to be lost.
struct Coherence {
  std::int64_t threads = 0;
  std::size_t agreeing = 0;  ///< repetitions that by themselves say the same
  std::size_t total = 0;
};

/// The least width from which on all are less than `tolerance` slower than the fastest; nothing if only the widest is
/// that fast. `curve` is by ascending widths, each a multiple of the one before, with equally many repetitions.
[[nodiscard]] std::optional<Coherence> coherence(std::span<const WidthPoint> curve, double tolerance);

/// Publishes the facts divergence.*.
void find_branch_width(const Session& session);

}  // namespace tomograph::divergence

#endif
