#ifndef TOMOGRAPH_CACHE_RETENTION_HPP
#define TOMOGRAPH_CACHE_RETENTION_HPP

#include <vector>

#include "tomograph/cache/subject.hpp"

namespace tomograph::cache {

/// Fewest bytes between listed nodes of a footprint, each of which may be loaded at two places.
inline constexpr std::int64_t retained_distance = 32;

/// A ring to walk until the cache is in its steady state, and the test that follows.
struct Footprint {
  chase::Ring ring;        ///< over array 0
  std::int64_t bytes = 0;  ///< size of that array
  /// Walks over the ring. Under FIFO, what a set held before leaves in the second walk, and takes lines of the first
  /// with it.
  std::int64_t passes = 4;
  std::int64_t samples = 64;  ///< nodes tested, at most all of them
  std::int64_t repeats = 1;   ///< number of tests, each with other samples
  /// Repeats that share a program, each after one more walk, as far as the program's record holds them. For caches
  /// whose steady state one walk restores.
  std::int64_t repeats_per_program = 1;
  std::uint64_t seed = 1;  ///< chooses the samples
  /// Largest share of the nodes that one program tests. A test that misses evicts a line, so a small share keeps this
  /// disturbance below the noise. Where misses are not expected, the share may be 1.
  double share = 1.0 / 16;
};

/// Result of the tests of one footprint.
struct Retained {
  std::int64_t nodes = 0;    ///< walked
  std::int64_t sampled = 0;  ///< tested, each node at most once per repeat
  std::int64_t hits = 0;     ///< tested nodes that were retained
  std::int64_t repeats = 1;
  std::int64_t evicted = 0;       ///< summed over all tests: lines that earlier tests since the last walk evicted
  std::vector<double> latencies;  ///< net, of all tests

  /// Whether each repeat tested all nodes.
  [[nodiscard]] bool counted() const { return sampled >= repeats * nodes; }
  /// Estimated number of retained nodes.
  [[nodiscard]] double estimate() const;
  /// The same, corrected for the disturbance: each test that misses leaves one node less for the next.
  [[nodiscard]] double undisturbed() const;
  /// Standard error of the estimate, from sampling.
  [[nodiscard]] double standard_error() const;
};

/// Walks each footprint, then times loads of its samples. Requires subject.threshold.
///
/// Each program tests so few nodes that its own misses disturb nothing. Valid for any replacement policy: a set retains
/// as many lines as it has ways once more than that were loaded. If phases are disturbed and the share is 1, the misses
/// of one more walk are counted instead.
[[nodiscard]] std::vector<Retained> retained(const Executor& execute, const Subject& subject,
                                             std::span<const Footprint> footprints);

}  // namespace tomograph::cache

#endif
