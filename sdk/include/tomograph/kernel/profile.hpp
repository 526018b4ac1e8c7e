/// The interval profile: what analytical models know of a kernel (Huang et al. 2014; Wang et al. 2019, section 3).
#ifndef TOMOGRAPH_KERNEL_PROFILE_HPP
#define TOMOGRAPH_KERNEL_PROFILE_HPP

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tomograph/kernel/trace.hpp"

namespace tomograph::kernel {

/// Instructions that a warp issues in a row, and the gap in its issue that follows. All numbers are those of one warp
/// on a machine without contention. A miss is a unit of `Profile::miss_bytes`.
struct Interval {
  double instructions = 0;
  double stall = 0;         ///< cycles of the gap
  double read_misses = 0;   ///< that loads and atomics send past the L1
  double write_misses = 0;  ///< that stores send past the L1, which is write-through and does not allocate
  /// Share of warps that wait, in the gap, for a load that missed in the L1.
  double waits_for_miss = 0;

  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Number of values of `Operation`.
inline constexpr std::size_t operation_count = 10;

/// Means over all warps. Memory is what lies behind the last level cache. A request is for the misses of one
/// instruction in the same line, which travel together.
struct WarpTraffic {
  double instructions = 0;
  double cycles = 0;       ///< of a warp that is alone, each of whose accesses takes its own latency
  double waits = 0;        ///< gaps in its issue behind a load that missed in the L1
  double waiting = 0;      ///< cycles of these gaps
  double l1_accesses = 0;  ///< lines that loads look up in the L1
  double read_misses = 0;
  double read_requests = 0;
  double write_misses = 0;
  double write_requests = 0;
  double memory_reads = 0;
  double memory_requests = 0;  ///< lines of `memory_reads`
  double memory_writes = 0;
  double memory_write_requests = 0;  ///< lines of `memory_writes`, each as often as it was written to
  /// Cycles for which loads occupy the banks of the L1: `bank_words` for hits, 1 for each request.
  double l1_passes = 0;
  /// Instructions by `Operation`.
  std::array<double, operation_count> operations{};
  /// Distinct sectors of each atomic instruction whose result is needed, and of each reduction, which is none of the
  /// misses and requests of above.
  double atomic_sectors = 0;
  double reduction_sectors = 0;
  double partial_sectors = 0;  ///< of stores that write them in part

  friend bool operator==(const WarpTraffic&, const WarpTraffic&) = default;
};

/// A kernel as models see it.
struct Profile {
  std::string name;
  std::int64_t ctas = 1;
  std::int64_t warps_per_cta = 1;
  std::int64_t ctas_per_sm = 1;
  std::int64_t miss_bytes = 128;
  /// Share of the misses of the L1 that miss in the last level cache, too.
  double llc_miss_ratio = 0;
  std::vector<Interval> intervals;  ///< of the representative warp
  WarpTraffic traffic;
  /// The same of the CTAs that start together, whose warps find the caches cold at first: of parts of their iterations,
  /// in order. Empty: not told apart.
  std::vector<WarpTraffic> first_parts;
  WarpTraffic later;  ///< the same of the CTAs that follow
  /// Time of the longest warp of a CTA by that of the mean warp: a CTA keeps its place until its last warp ends.
  double imbalance = 1;
  /// Share of the units of atomics, of stores, or of loads past the L1 that lie in the busiest slice of the last level
  /// cache or, where slices are not known, the busiest line; 0: hardly any, or, of loads, slices are not known.
  double busiest_atomics = 0;
  double busiest_loads = 0;
  double busiest_stores = 0;

  friend bool operator==(const Profile&, const Profile&) = default;
};

/// The rule that `profile` breaks (no intervals, a negative number, a miss ratio beyond 1, ...), or nothing.
[[nodiscard]] std::optional<std::string> violation(const Profile& profile);

/// The sum over the intervals, with `llc_miss_ratio` of the misses going to memory. For profiles of tracers that tell
/// nothing about other warps. A load looks up at least what it misses.
[[nodiscard]] WarpTraffic traffic_of_intervals(const Profile& profile);

/// How a set of a cache chooses its victims.
enum class Replacement { lru, fifo, segmented_lru, tree_plru, random };

/// A cache as it was measured, and assumptions for what is not known.
struct CacheShape {
  std::int64_t size = 0;  ///< bytes that it holds; 0: there is no such cache
  std::int64_t line = 128;
  std::int64_t ways = 16;  ///< for the number of sets, if there are no masks
  /// Random if the policy is not known: its misses grow smoothly with the footprint, whereas LRU keeps either all or
  /// nothing of lines in turn. Under independent references it misses as often as FIFO (Gelenbe 1973).
  Replacement replacement = Replacement::random;
  std::int64_t protected_ways = 0;  ///< of segmented LRU: for lines that were used again (Karedla, Love & Wherry 1994)
  /// Bit i of a line's set is the parity of its address & masks[i]. Empty: the index is not linear, or not known, and
  /// the set is a hash of the line's number.
  std::vector<std::uint64_t> masks = {};
};

/// How an address chooses its slice of the last level cache (the fact l2.slice_function). Without masks it is not
/// known.
struct SliceFunction {
  std::vector<std::uint64_t> parities = {};  ///< masks of address bits
  std::vector<std::uint64_t> number = {};    ///< masks, whose parities are the bits of a number, lowest first
  std::uint64_t divided_by = 1;              ///< of which the remainder counts

  [[nodiscard]] bool is_known() const { return !parities.empty() || !number.empty(); }
  /// Equal numbers for equal slices. Pages of 2 MiB lie anywhere in memory. Where the masks reach up to the highest bit
  /// of a page, the bits above it, which nobody knows, invert some parities: by a hash of the page's number, none in
  /// the first page.
  [[nodiscard]] std::uint64_t operator()(std::uint64_t address) const;
};

/// The machine, as far as the profile of a kernel depends on it. Latencies in cycles.
struct ProfiledMachine {
  std::int64_t sms = 1;
  std::int64_t max_warps_per_sm = 64;
  std::int64_t max_ctas_per_sm = 32;
  bool greedy = false;  ///< whether a warp issues until it waits for a miss; else warps take turns
  CacheShape l1;
  CacheShape llc;
  std::int64_t miss_bytes = 128;  ///< that a miss of the L1 fetches; at most a line of either cache
  /// Of each operation until a dependent instruction can issue. Those of loads and atomics are not used.
  std::array<double, operation_count> latency{};
  double l1_latency = 0;   ///< of a load that hits in the L1
  double llc_latency = 0;  ///< of a load that hits in the last level cache
  /// Partitions of the last level cache, each with as many lines and SMs, and the latency of a load from another one
  /// than that of its SM. If they keep copies, only the first load of a partition's SMs takes as long.
  std::int64_t llc_partitions = 1;
  double llc_far_latency = 0;
  bool llc_keeps_copies = false;
  SliceFunction llc_slice = {};
  std::int64_t llc_slices = 0;  ///< 0: not known. Without `llc_slice`, a hash spreads the lines over them
  double memory_latency = 0;    ///< of a load that memory serves
  /// The same by the bytes that an instruction loads, ascending; empty: not known.
  std::vector<std::pair<double, double>> memory_latency_by_bytes = {};
};

/// CTAs that an SM of `machine` holds at the same time; 0 if not even one fits.
[[nodiscard]] std::int64_t resident_ctas(const Launch& launch, const ProfiledMachine& machine);

/// The profile of a kernel on a machine: a functional pass of its warps through the caches, then the intervals of the
/// warp that represents them. SM s holds CTAs s, s + sms, ... as in abi/kernel.h; the warps of all SMs take turns,
/// memory instruction by memory instruction or, if greedy, wait by wait. The pass ends early, with what it has seen,
/// once `most_warps` warps of a large grid have passed. Before it, `warm_passes` read the footprint through the last
/// level cache.
/// @throws std::invalid_argument if no CTA fits on an SM.
[[nodiscard]] Profile profile(const Trace& trace, const ProfiledMachine& machine, std::int64_t warm_passes = 1,
                              std::int64_t most_warps = 16384);

}  // namespace tomograph::kernel

#endif
