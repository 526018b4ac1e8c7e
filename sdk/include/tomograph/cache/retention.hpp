#ifndef TOMOGRAPH_CACHE_RETENTION_HPP
#define TOMOGRAPH_CACHE_RETENTION_HPP

#include <vector>

#include "tomograph/cache/subject.hpp"

namespace tomograph::cache {

/// A ring that is walked until the cache is in its steady state, and how closely it is then looked at.
struct Footprint {
  chase::Ring ring;           ///< over array 0
  std::int64_t bytes = 0;     ///< size of that array
  std::int64_t passes = 4;    ///< walks over the ring
  std::int64_t samples = 64;  ///< nodes tested, at most all of them
  std::int64_t repeats = 1;   ///< the whole test is done that often, each time with other samples
  /// Repeats that share a program, each after one more walk, as far as the program's record holds them. For caches
  /// whose steady state one walk restores.
  std::int64_t repeats_per_program = 1;
  std::uint64_t seed = 1;  ///< chooses the samples
  /// At most this share of the nodes is tested by one program. A test that misses evicts something, so a small share
  /// keeps its own disturbance below the noise; where misses are not expected, the share may be 1.
  double share = 1.0 / 16;
};

/// Of `nodes` nodes walked, `sampled` were tested (each at most once a repeat) and `hits` were still there.
struct Retained {
  std::int64_t nodes = 0;
  std::int64_t sampled = 0;
  std::int64_t hits = 0;
  std::int64_t repeats = 1;
  std::int64_t evicted = 0;       ///< summed over all tests: the lines that tests before it, since the walk, evicted
  std::vector<double> latencies;  ///< net, of all tests

  /// Whether each repeat tested all nodes.
  [[nodiscard]] bool counted() const { return sampled >= repeats * nodes; }
  /// Best estimate of how many nodes of the footprint are retained.
  [[nodiscard]] double estimate() const;
  /// The same without the disturbance by tests: each that misses has one node less retained when the next is tested.
  [[nodiscard]] double undisturbed() const;
  /// Its standard error from choosing a sample.
  [[nodiscard]] double standard_error() const;
};

/// Walks each footprint, then times loads of a few of its nodes, in as many programs as it takes to test all samples:
/// each program tests so few that its own misses disturb nothing. Policy-free: whatever the replacement policy, a set
/// retains as many lines as it has ways once more than that were loaded. Where phases are disturbed and the share is 1,
/// the footprint is walked once more instead and the misses of that walk are counted.
/// Requires subject.threshold.
[[nodiscard]] std::vector<Retained> retained(const Executor& execute, const Subject& subject,
                                             std::span<const Footprint> footprints);

}  // namespace tomograph::cache

#endif
