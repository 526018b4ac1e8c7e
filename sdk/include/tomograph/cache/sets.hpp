#ifndef TOMOGRAPH_CACHE_SETS_HPP
#define TOMOGRAPH_CACHE_SETS_HPP

#include <cstdint>
#include <optional>
#include <vector>

#include "tomograph/analysis/linear_index.hpp"
#include "tomograph/analysis/occupancy.hpp"
#include "tomograph/cache/retention.hpp"

namespace tomograph::cache {

/// Lines that share a set, one more than fit into it. Without any one of them, the others fit. Lines are numbered by
/// their offset in the region of the subject, in lines.
struct ConflictGroup {
  std::vector<std::int64_t> lines;  ///< ways + 1

  [[nodiscard]] std::int64_t ways() const { return static_cast<std::int64_t>(lines.size()) - 1; }
};

/// Parameters of the search for conflict groups.
struct SetSearch {
  std::int64_t line_bytes = 0;
  std::int64_t capacity_lines = 0;
  std::int64_t groups = 12;  ///< number of groups to find
  std::int64_t budget = 0;   ///< most loads of the search
};

/// Finds conflict groups by group testing, for any replacement policy (the idea of Vila, Köpf & Morales 2019). Starts
/// from a random pool that evicts a target line, removes chunks of it while the rest still evicts the target, and
/// restores them if the rest did so by chance. Each returned group is verified: its lines together miss, all but any
/// one of them fit. Empty if the budget does not suffice or no pool evicts. One group in six more than asked for is
/// begun, in case a search fails; each takes at most its share of the budget.
[[nodiscard]] std::vector<ConflictGroup> conflict_groups(const Executor& execute, const Subject& subject,
                                                         const SetSearch& search);

/// The same for policies under which a line may outlast walks over more lines than its set holds: random replacement,
/// and segmented LRU if the subject touches lines twice. One line more than a set holds makes each of its lines miss
/// now and then, whatever the policy, and without any one of them the others stop missing: these are a group. The lines
/// of the smallest pool that misses are few, so that walks over them are cheap. For shared caches.
[[nodiscard]] std::vector<ConflictGroup> conflict_groups_by_misses(const Executor& execute, const Subject& subject,
                                                                   const SetSearch& search);

/// Sets with their ways.
struct Sets {
  analysis::LinearIndex index;         ///< on byte offsets within the region; unused if there is a modulus
  std::vector<std::int64_t> set_ways;  ///< of each set, counted one by one
  std::size_t differences = 0;         ///< same-set pairs behind the index
  std::size_t confirming = 0;          ///< number of last pairs that left the index unchanged
  /// The set is the line number in the region modulo this. Nothing: `index` determines the set.
  std::optional<std::int64_t> modulus = std::nullopt;

  [[nodiscard]] std::int64_t lines() const;
  [[nodiscard]] bool equal() const;
};

/// The lines of the first `region` bytes, by set.
[[nodiscard]] std::vector<std::vector<std::int64_t>> lines_by_set(const Sets& sets, std::int64_t line_bytes,
                                                                  std::int64_t region);

/// The index that the groups show, without ways: a linear map over GF(2) of the address bits `varied`, or the remainder
/// by the greatest common divisor of the distances in lines if that makes more sets.
[[nodiscard]] Sets index_of(std::span<const ConflictGroup> groups, std::int64_t line_bytes, std::uint64_t varied);

/// Recovers the index from the groups, then counts the ways of every set by the number of its lines that fit. Nothing
/// if more than a quarter of the groups have another number of ways than their set (the index is neither linear nor a
/// remainder), or if not every set can be overflowed within the region.
[[nodiscard]] std::optional<Sets> recover_sets(const Executor& execute, const Subject& subject, const SetSearch& search,
                                               std::span<const ConflictGroup> groups);

/// Retention of lines at random places, for numbers of lines around the capacity: input of analysis::estimate_sets.
[[nodiscard]] std::vector<analysis::Retention> random_placement(const Executor& execute, const Subject& subject,
                                                                const SetSearch& search, std::int64_t samples);

}  // namespace tomograph::cache

#endif
