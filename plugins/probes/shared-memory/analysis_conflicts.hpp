#ifndef TOMOGRAPH_SHARED_MEMORY_ANALYSIS_CONFLICTS_HPP
#define TOMOGRAPH_SHARED_MEMORY_ANALYSIS_CONFLICTS_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "analysis_bank_pattern.hpp"

/// What bank conflicts cost, and what has the latency of which conflict. Pure functions. Unit: cycles.
namespace tomograph::shared_memory {

/// Latencies of two lanes that access words at a distance from each other.
struct Distances {
  std::vector<double> bytes;
  std::vector<double> cycles;
  std::optional<double> threshold = {};  ///< longer accesses are conflicts
  std::optional<BankPattern> pattern = {};
};

/// Sets threshold and pattern from bytes and cycles; the bytes are multiples of `unit`.
void find_pattern(Distances& distances, std::int64_t unit);

/// Extra latency of a conflict of two lanes. Requires distances with and without conflicts.
[[nodiscard]] double conflict_cycles(const Distances& distances);

/// How many lanes at one word are served together: with one more, the access takes a further pass. `cycles` are the
/// latencies of 1, 2, ... lanes.
[[nodiscard]] std::int64_t lanes_together(std::span<const double> cycles, double conflict);

/// Latency by the number of passes.
using LatencyOfPasses = std::vector<std::pair<std::int64_t, double>>;

/// The passes of an access: those of the conflict of the same latency. Nothing if all differ by more than a quarter of
/// `conflict`, half of what separates neighbouring numbers of passes from their middle.
[[nodiscard]] std::optional<std::int64_t> passes_of(double cycles, const LatencyOfPasses& known, double conflict);

}  // namespace tomograph::shared_memory

#endif
