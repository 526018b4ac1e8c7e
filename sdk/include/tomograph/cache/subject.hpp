#ifndef TOMOGRAPH_CACHE_SUBJECT_HPP
#define TOMOGRAPH_CACHE_SUBJECT_HPP

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tomograph/analysis/latency_modes.hpp"
#include "tomograph/chase.hpp"

/// Measurement of one cache by chase programs. Functions take the cache under test and an executor of programs, and
/// return what they measured. They publish nothing and know no device, so the same code serves L1, L2, texture and
/// constant caches, real and simulated.
///
/// Terms: a *node* is one 8-byte load target. A *footprint* is a ring that is walked until the cache is in its steady
/// state. A line is *retained* if a later load of it hits. Latencies are net of the timing's overhead.
namespace tomograph::cache {

/// Executes programs and returns their results in the same order. Throws where a program is refused.
using Executor = std::function<std::vector<chase::Result>(std::span<const chase::Program>)>;

/// Size of a page: virtual and physical offsets within it are the same on all known devices. Arrays start at its
/// multiples.
inline constexpr std::int64_t page_bytes = chase::array_alignment;
/// Sizes of smaller pages: the smallest of GPU memory, and that of processors. No GPU is known to map less.
inline constexpr std::int64_t small_page_bytes = std::int64_t{64} << 10;
inline constexpr std::int64_t smallest_page_bytes = std::int64_t{4} << 10;

/// Most loads that one program times one by one in a private cache. Their record (8 B each) lies in shared memory,
/// which shares its SRAM with L1; this many fit the smallest carve-out (8 KiB).
inline constexpr std::int64_t timed_loads = 256;
/// The same in a shared cache, which does not share its SRAM, if the device keeps so many.
inline constexpr std::int64_t timed_loads_shared = 8192;

/// The cache under test, and how loads reach it.
struct Subject {
  chase::Path path = chase::Path::global_ca;
  std::int64_t carveout = 0;                     ///< bytes of shared memory to reserve
  bool shared = false;                           ///< whether all SMs share it: then programs run alone
  std::int64_t sm = chase::any_sm;               ///< the SM that loads
  analysis::Threshold threshold = {};            ///< in net cycles, once known
  std::int64_t largest = std::int64_t{1} << 40;  ///< most bytes of all arrays of a program
  std::int64_t most_timed = timed_loads_shared;  ///< most loads of an SM that a program may time one by one
  /// Net cycles up to which the level before this one serves a load. 0: there is no such level.
  double before = 0;
  /// Whether the measuring kernel itself loads lines through the cache when a phase begins (its parameters, a texture's
  /// header). Then lines that fit may still miss once at the start of a phase.
  bool disturbed = false;
  /// Loads of a line, one after the other, in walks that seek sets, 1 or 2. Under segmented LRU, a walk that loads its
  /// lines twice treats them as LRU does, and leaves none of earlier walks protected.
  std::int64_t touches = 1;

  /// Bytes of an array within which lines are placed at random: the largest power of two up to a page.
  [[nodiscard]] std::int64_t region() const {
    return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(std::min(page_bytes, largest))));
  }
  /// Bytes of an array among whose lines sets are sought, up to a page. An array that is no power of two is used whole
  /// if a third of its lines have the highest bit of its offsets: then a dozen differences show what that bit does.
  /// Else the bit stays untold, and the power of two below is used.
  [[nodiscard]] std::int64_t indexed_region() const {
    const std::int64_t whole = std::min(page_bytes, largest);
    return 2 * whole >= 3 * region() ? whole : region();
  }
  /// The bits that offsets in the indexed region can have.
  [[nodiscard]] std::uint64_t indexed_bits() const {
    return std::bit_ceil(static_cast<std::uint64_t>(indexed_region())) - 1;
  }
};

/// Nodes that test a footprint lie this many bytes behind its own nodes: in the same sector, however small.
inline constexpr std::int64_t sample_offset = chase::node_bytes;

/// A program with the subject's actor (number 0) and one array of `bytes`, without rings and phases.
[[nodiscard]] chase::Program program_for(const Subject& subject, std::int64_t bytes);

/// Adds a ring and returns its number.
std::int64_t add_ring(chase::Program& program, chase::Ring ring);

/// The number of the ring with which an actor on a path of global memory brings the lines of `ring`, already added as
/// number 0, into the levels behind the subject: ring 0, or, if the subject's path interprets nodes differently, a new
/// ring through the slots behind its nodes.
std::int64_t add_bringing_ring(chase::Program& program, const Subject& subject, chase::Ring ring);

/// Whether `latency`, raw as in a trace, is a hit in the subject.
[[nodiscard]] bool is_hit(const Subject& subject, const chase::Result& result, std::uint32_t latency);

/// Net latencies of trace number `trace`.
[[nodiscard]] std::vector<double> net(const chase::Result& result, std::size_t trace = 0);

/// `count` different numbers below `limit` in random order. A seed gives the same numbers on every machine.
/// @throws std::invalid_argument if `count` exceeds `limit`.
[[nodiscard]] std::vector<std::int64_t> random_choice(std::int64_t limit, std::int64_t count, std::uint64_t seed);

}  // namespace tomograph::cache

#endif
