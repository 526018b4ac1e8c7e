#ifndef TOMOGRAPH_SOURCE_CACHE_VISITS_HPP
#define TOMOGRAPH_SOURCE_CACHE_VISITS_HPP

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "tomograph/cache/sets.hpp"

/// Visits of the lines of a set in random order, which models of replacement policies predict load by load.
namespace tomograph::cache {

/// First bytes of the lines of a group.
[[nodiscard]] std::vector<std::int64_t> nodes_of(const ConflictGroup& group, std::int64_t line_bytes);

/// Number of groups whose random visits hit and miss exactly as under tree-PLRU. Another policy agrees by chance with a
/// probability of about 2^-n for n visits that are neither sure hits nor sure misses.
[[nodiscard]] std::size_t as_tree_plru(const Executor& execute, const Subject& subject, std::int64_t line_bytes,
                                       std::span<const ConflictGroup> groups);

/// The same for victims in a fixed order of ways, from 0.
[[nodiscard]] std::size_t as_way_order(const Executor& execute, const Subject& subject, std::int64_t line_bytes,
                                       std::span<const ConflictGroup> groups, std::span<const std::size_t> order);

/// Numbers of groups whose visits after walks hit and miss exactly as under each policy. Another policy agrees by
/// chance in 2^-n of the groups, for n visits on which the two differ.
struct Agreement {
  std::size_t lru = 0;
  std::size_t fifo = 0;
  std::size_t tree_plru = 0;
  /// By number of protected lines, if any group agrees. Only after walks that touch lines twice: others leave lines of
  /// earlier programs protected.
  std::map<std::size_t, std::size_t> segmented_lru = {};
};

[[nodiscard]] Agreement agreement(const Executor& execute, const Subject& subject, std::int64_t line_bytes,
                                  std::span<const ConflictGroup> groups);

}  // namespace tomograph::cache

#endif
