#ifndef TOMOGRAPH_CACHE_SETS_HPP
#define TOMOGRAPH_CACHE_SETS_HPP

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tomograph/analysis/linear_index.hpp"
#include "tomograph/analysis/occupancy.hpp"
#include "tomograph/cache/retention.hpp"

namespace tomograph::cache {

/// Lines that share a set and do not fit together, but would without any one of them. Lines are numbered by their
/// offset in the region of the subject, in lines.
struct ConflictGroup {
  std::vector<std::int64_t> lines;  ///< ways + 1 of them

  [[nodiscard]] std::int64_t ways() const { return static_cast<std::int64_t>(lines.size()) - 1; }
};

/// What the search for conflict groups needs to know.
struct SetSearch {
  std::int64_t line_bytes = 0;
  std::int64_t capacity_lines = 0;
  std::int64_t groups = 12;  ///< groups asked for
  std::int64_t budget = 0;   ///< loads that the search may take
};

/// Group testing for eviction sets (the idea of Vila, Köpf & Morales 2019, for any replacement policy): from a random
/// pool that evicts a target, chunks are taken away as long as it still does, and put back where it turns out that the
/// pool did so by chance. Every group returned has been verified: all its lines together miss, all but any one of them
/// fit. Each group may take its share of the budget, up to one in six are begun in vain.
/// Empty if the budget does not suffice or no pool evicts.
[[nodiscard]] std::vector<ConflictGroup> conflict_groups(const Executor& execute, const Subject& subject,
                                                         const SetSearch& search);

/// Sets with their ways, recovered from groups.
struct Sets {
  analysis::LinearIndex index;         ///< on byte offsets within the region, unless there is a modulus
  std::vector<std::int64_t> set_ways;  ///< of each set, verified one by one
  std::size_t differences = 0;         ///< same-set pairs behind the index
  std::size_t confirming = 0;          ///< of them, the last ones that left the index unchanged
  /// The set is the number of the line in the region modulo this; nothing: it follows from `index`.
  std::optional<std::int64_t> modulus = std::nullopt;

  [[nodiscard]] std::int64_t lines() const;
  [[nodiscard]] bool equal() const;
};

/// The lines of the first `region` bytes by the set that the index or the modulus puts them into.
[[nodiscard]] std::vector<std::vector<std::int64_t>> lines_by_set(const Sets& sets, std::int64_t line_bytes,
                                                                  std::int64_t region);

/// The index from the groups' differences: a linear map over GF(2), or the remainder by the greatest common divisor of
/// the differences in lines where that makes more sets (where it makes as many, the map says the same). Then the ways
/// of every set, by the number of its lines that fit. Nothing if most groups have not as many ways as were counted in
/// their sets, as where the index is neither, or if sets cannot all be overflowed within the region.
[[nodiscard]] std::optional<Sets> recover_sets(const Executor& execute, const Subject& subject, const SetSearch& search,
                                               std::span<const ConflictGroup> groups);

/// Retention of lines at random places for numbers of lines around the capacity: input of analysis::estimate_sets.
[[nodiscard]] std::vector<analysis::Retention> random_placement(const Executor& execute, const Subject& subject,
                                                                const SetSearch& search, std::int64_t samples);

}  // namespace tomograph::cache

#endif
