#ifndef TOMOGRAPH_CACHE_HIT_AND_MISS_HPP
#define TOMOGRAPH_CACHE_HIT_AND_MISS_HPP

#include <cstddef>
#include <optional>
#include <vector>

#include "tomograph/analysis/interval.hpp"
#include "tomograph/cache/subject.hpp"

namespace tomograph::cache {

/// Hit latency seen from one SM: mean of many dependent loads timed in total, net.
struct SmLatency {
  std::int64_t sm = 0;
  double cycles = 0;           ///< the median of repetitions, since a delayed load makes one of them longer
  std::vector<double> passes;  ///< the mean of each repetition
  double scatter = 0;          ///< of means of lines at the same distances, but for a few of them: delays, if several
};

/// Extra cycles of misses, and the number of each one's program, unless all lines lie at random places.
struct Penalties {
  std::vector<double> cycles;
  std::vector<std::size_t> programs;
};

/// Latencies of loads that should hit and of loads that should miss.
struct HitAndMiss {
  std::vector<double> hits;    ///< net latency of each load
  std::vector<double> misses;  ///< net latency of each load
  std::vector<double> again;   ///< net latency of a second load of each line of `misses`
  /// Number of the program of each of `misses`, if the lines of one program lie close to each other: perhaps in one
  /// partition or slice, so that they are not independent. Empty if all lines lie at random places.
  std::vector<std::size_t> programs;
  std::vector<SmLatency> by_sm;  ///< hits timed in total
  std::vector<double> excess;    ///< of each mean of a total over the single hits of its program that are in time
  double line_deviation = 0;     ///< standard deviation of one SM's hits over lines all over memory
  double line_difference = 0;    ///< of these hits, from the same SMs' by_sm, whose lines lie in one page
  double overhead_each = 0;      ///< cycles subtracted from every single load
  double overhead_total = 0;     ///< cycles subtracted from every total
  std::optional<analysis::Threshold> threshold;  ///< nothing: hits and misses take equally long
  double held_elsewhere = 0;  ///< share of the loads of evicted lines that hit in a far partition; not in `misses`
  bool far_hits_are_misses = false;  ///< loads above the threshold may have hit in a far partition, which is no hit

  /// Whether most totals hold loads that interrupts and the like delay: single hits are delayed so often, or totals
  /// that ought to be equal differ on most SMs and are longer than single hits. Where programs have other addresses
  /// each time, they differ, too, but are no longer.
  [[nodiscard]] bool most_totals_are_late() const;

  /// Whether lines that a small buffer before the cache holds gave the hits of a private cache: they are faster than
  /// the second loads of the many lines of `programs`.
  [[nodiscard]] bool hits_are_of_a_buffer() const;

  /// Whether the clock counts by more cycles than most hits take, so that single loads tell no hits from misses.
  [[nodiscard]] bool clock_is_coarse() const;

  /// The mean of the single hits that nothing delays: they take no more than twice the median.
  [[nodiscard]] double mean_in_time() const;

  /// The cycles of by_sm.
  [[nodiscard]] std::vector<double> cycles_by_sm() const;

  /// Intervals of by_sm that cover the means over all lines, all of them with a probability of `confidence`: by the
  /// errors of a mean over lines at different distances, by what these lines differ from others, by what latencies
  /// changed between passes, and by what a program's own overhead may add or take.
  [[nodiscard]] std::vector<analysis::Interval> intervals_by_sm(double confidence) const;

  /// By how much loads that missed took longer than the next load of the same line, which hit: the same distance, and
  /// the same misses of a TLB, are in both. A next load above the threshold may be a hit that missed a TLB: if it was
  /// faster by half of what others are faster, it counts, unless it may have hit far away. Without next loads, than the
  /// mean of all hits. There is a threshold.
  [[nodiscard]] Penalties penalties() const;
};

/// Why a cache stays unknown where HitAndMiss::clock_is_coarse().
inline constexpr const char* coarse_clock = "the clock counts by more cycles than loads take";

/// Bytes of a ring that every data cache holds.
inline constexpr std::int64_t small_footprint = 4096;

/// Loads of a chain that is timed in total. An overhead that is one cycle off changes their mean by 0.0005 cycles.
inline constexpr std::int64_t total_loads = 2048;

/// The hits of programs that each time `total_loads` of one SM in total, and some one by one: all at one distance.
[[nodiscard]] HitAndMiss hits_of(std::span<const chase::Result> results, std::int64_t sm_count);

/// Measures a private cache. Hits: a small ring on each of `sm_count` SMs, walked twice and then timed. Misses: first
/// loads of lines that `beyond`, a path that bypasses the subject, brought into the next level, or loads that a level
/// between serves.
[[nodiscard]] HitAndMiss private_hit_and_miss(const Executor& execute, const Subject& subject, chase::Path beyond,
                                              std::int64_t sm_count);

/// Measures a cache that SMs share. Hits: a ring on each SM. Misses: first loads after `flush_bytes` of other data went
/// through the cache. SMs load one at a time, and lines lie all over a page.
[[nodiscard]] HitAndMiss shared_hit_and_miss(const Executor& execute, const Subject& subject, std::int64_t flush_bytes,
                                             std::int64_t sm_count);

/// No known line is smaller.
inline constexpr std::int64_t smallest_line = 32;

/// Adds an array of `bytes` and a phase in which many threads load it through the subject. They load each line at least
/// twice: some policies keep lines that were used again as long as others were used once.
void add_flush(chase::Program& program, const Subject& subject, std::int64_t bytes);

}  // namespace tomograph::cache

#endif
