#ifndef TOMOGRAPH_STORES_ANALYSIS_HITS_HPP
#define TOMOGRAPH_STORES_ANALYSIS_HITS_HPP

#include <cstddef>
#include <span>

#include "experiments.hpp"

/// Which timed loads hit. Pure functions.
namespace tomograph::stores {

/// Of the lines of all trials.
struct Hits {
  std::size_t hits = 0;
  std::size_t lines = 0;

  /// Whether most lines hit.
  [[nodiscard]] bool hit() const { return 2 * hits > lines; }
  /// How many lines say the same as most of them.
  [[nodiscard]] std::size_t agreeing() const { return hit() ? hits : lines - hits; }
};

/// Loads of at most `threshold` cycles hit.
[[nodiscard]] Hits count(std::span<const AccessesAnswer> trials, double threshold);

}  // namespace tomograph::stores

#endif
