#ifndef TOMOGRAPH_BENCH_INDEPENDENT_REPLACEMENT_HPP
#define TOMOGRAPH_BENCH_INDEPENDENT_REPLACEMENT_HPP

#include <algorithm>
#include <cstdint>
#include <vector>

#include "description.hpp"
#include "random.hpp"

namespace independent {

/// The replacement state of a cache. Lines are numbered through the cache; a set is the lines [first, end).
class Replacement {
 public:
  Replacement(const CacheDescription& description, std::uint64_t seed);

  /// A hit of `line`.
  void use(std::uint32_t set, std::uint32_t first, std::uint32_t end, std::uint32_t line);
  /// The line to be replaced, in a set without invalid lines.
  std::uint32_t victim(std::uint32_t set, std::uint32_t first, std::uint32_t end);
  /// `line` was filled.
  void insert(std::uint32_t set, std::uint32_t first, std::uint32_t end, std::uint32_t line);
  /// All lines became invalid. Hands and trees stay where they are.
  void forget_lines() { std::fill(mark_.begin(), mark_.end(), std::uint8_t{0}); }

 private:
  [[nodiscard]] std::uint32_t oldest(std::uint32_t first, std::uint32_t end) const;
  [[nodiscard]] std::uint32_t oldest_unprotected(std::uint32_t first, std::uint32_t end) const;
  void protect(std::uint32_t first, std::uint32_t end, std::uint32_t line);
  std::uint32_t weighted_way();
  void point_away(std::uint32_t set, std::uint32_t ways, std::uint32_t way);
  [[nodiscard]] std::uint32_t follow_tree(std::uint32_t set, std::uint32_t ways) const;
  void mark_used(std::uint32_t first, std::uint32_t end, std::uint32_t line);
  std::uint32_t first_unmarked(std::uint32_t first, std::uint32_t end);
  std::uint32_t second_chance(std::uint32_t set, std::uint32_t first, std::uint32_t end);
  std::uint32_t not_recent(std::uint32_t set, std::uint32_t first, std::uint32_t end);
  std::uint32_t distant(std::uint32_t first, std::uint32_t end);
  void insert_last(std::uint32_t first, std::uint32_t end, std::uint32_t line);

  Policy policy_;
  std::vector<double> way_weights_;
  int protected_ways_;
  Random random_;
  std::uint64_t now_ = std::uint64_t{1} << 32;
  std::vector<std::uint64_t> age_;        ///< of each line: time of its last use; the least is the oldest
  std::vector<std::uint8_t> mark_;        ///< of each line: reference bit, protection or re-reference interval
  std::vector<std::uint64_t> set_state_;  ///< of each set: hand, tree or last line
};

}  // namespace independent

#endif
