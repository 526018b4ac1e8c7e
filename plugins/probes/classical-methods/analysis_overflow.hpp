#ifndef TOMOGRAPH_CLASSICAL_METHODS_ANALYSIS_OVERFLOW_HPP
#define TOMOGRAPH_CLASSICAL_METHODS_ANALYSIS_OVERFLOW_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// Which lines miss when a cache overflows little by little: the two-stage procedure of Mei & Chu 2017, section 4.2.
namespace tomograph::classical_methods {

/// Misses of each node of a walk in so many rounds.
struct Misses {
  std::vector<int> of_node;
  int rounds = 0;

  /// Nodes that missed in two rounds or more. One miss may be a delayed load.
  [[nodiscard]] std::int64_t nodes() const;
  /// Misses per load.
  [[nodiscard]] double rate() const;
  /// Whether each of these nodes missed in every round but one at most: the walk is periodic, as under LRU.
  [[nodiscard]] bool is_periodic() const;
};

/// The line size: bytes from one growth of the number of missed nodes to the next. `missed` has the numbers for walks
/// of one element too many, two, and so on, each of `element_bytes`. Nothing if the number does not grow twice.
[[nodiscard]] std::optional<std::int64_t> line_size(std::span<const std::int64_t> missed, std::int64_t element_bytes);

/// The ways of each set in the order in which the sets overflow. `missed` has the numbers of missed lines for walks of
/// one line too many, two, and so on. A line that overflows another set makes all lines of that set miss; a further
/// line of a set that has overflowed adds itself alone.
[[nodiscard]] std::vector<std::int64_t> ways_of_sets(std::span<const std::int64_t> missed);

}  // namespace tomograph::classical_methods

#endif
