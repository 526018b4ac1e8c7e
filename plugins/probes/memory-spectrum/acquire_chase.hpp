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
  std::int64_t span = 0;  ///< bytes that an entry serves
};

/// The facts from which the chase is built.
struct Known {
  std::int64_t line = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t memory = 0;  ///< bytes that may be allocated
  std::int64_t sm_count = 1;
  std::vector<Tlb> tlb = {};  ///< the first level first
  std::optional<std::int64_t> window = std::nullopt;
};

/// One timed phase of a pattern, and the SM that makes its loads.
struct TimedPhase {
  std::size_t trace = 0;
  std::int64_t sm = 0;
};

/// The program, and which of its timed phases belong to each pattern: none if this memory cannot show it.
struct Chase {
  chase::Program program;
  std::array<std::vector<TimedPhase>, patterns.size()> phases = {};
};

/// A program that meets, one after the other, every pattern that this memory can show, from up to sixteen SMs spread
/// over the device. Each trial visits other lines, and other SMs where there are more.
/// Requires 0 <= trial < trials.
[[nodiscard]] Chase build(const Known& known, std::int64_t trial, std::int64_t trials);

/// Adds the latencies that the program of `chase` measured.
void add(Samples& samples, const Chase& chase, const chase::Result& result);

/// The number of loads over which the chase times a pattern that misses the data cache, from its first to its last: the
/// smallest of these patterns. A clock that stays at another frequency for all of them goes unnoticed.
[[nodiscard]] std::int64_t timed_span(const Chase& chase);

}  // namespace tomograph::memory_spectrum

#endif
