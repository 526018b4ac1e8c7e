#ifndef TOMOGRAPH_MEMORY_SPECTRUM_ACQUIRE_CHASE_HPP
#define TOMOGRAPH_MEMORY_SPECTRUM_ACQUIRE_CHASE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis_samples.hpp"
#include "patterns.hpp"
#include "tomograph/chase.hpp"

/// One chase of non-uniform strides that meets each combination of hits and misses of the data cache and the TLBs.
namespace tomograph::memory_spectrum {

/// One level of TLB.
struct Tlb {
  std::int64_t entries = 0;
  std::int64_t span = 0;                  ///< bytes that an entry serves
  double penalty = 0;                     ///< cycles of a miss
  std::optional<std::int64_t> page = {};  ///< bytes that a miss brings: an entry may hold several pages
};

/// The facts from which the chase is built.
struct Known {
  std::int64_t line = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t memory = 0;  ///< bytes that may be allocated
  std::int64_t sm_count = 1;
  std::vector<Tlb> tlb = {};  ///< the first level first
  std::optional<std::int64_t> window = std::nullopt;
  std::optional<double> window_penalty = std::nullopt;
  std::optional<double> l2_penalty = std::nullopt;  ///< cycles of a miss of L2
  bool every_tlb = true;                            ///< no level shows that is not in `tlb`
};

/// One timed phase of a pattern, and the SM that makes its loads.
struct TimedPhase {
  std::size_t trace = 0;
  std::int64_t sm = 0;
};

/// The program, and which of its timed phases belong to each pattern: none if this memory cannot show it. Loads that
/// hit L2 come in pairs of one sector.
struct Chase {
  chase::Program program;
  std::array<std::vector<TimedPhase>, patterns.size()> phases = {};
  std::array<Differences, patterns.size()> differences = {};
};

/// Bytes of a second array whose loads evict everything from L2.
[[nodiscard]] std::int64_t flush_bytes(const Known& known);

/// A program that meets, one after the other, every pattern that this memory can show, from up to sixteen SMs spread
/// over the device. Each trial visits other lines, and other SMs where there are more.
/// Requires 0 <= trial < trials.
[[nodiscard]] Chase build(const Known& known, std::int64_t trial, std::int64_t trials);

/// A program of first visits alone (P5 and P6), for memory that holds hardly more pages than the TLBs do: `build`
/// leaves few loads of them then. Each trial visits from other SMs, of those that `build` chooses. Nothing if `build`
/// meets neither pattern.
[[nodiscard]] std::optional<Chase> build_first_visits(const Known& known, std::int64_t trial, std::int64_t trials);

/// Adds the latencies that the program of `chase` measured. Of a pair, the first load counts, if its difference from
/// the second is one of the pattern.
void add(Samples& samples, const Chase& chase, const chase::Result& result);

/// The number of loads over which the chase times a pattern that misses the data cache, from its first to its last: the
/// smallest of these patterns. A clock that stays at another frequency for all of them goes unnoticed.
[[nodiscard]] std::int64_t timed_span(const Chase& chase);

}  // namespace tomograph::memory_spectrum

#endif
