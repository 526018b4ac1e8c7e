#ifndef TOMOGRAPH_BENCH_INDEPENDENT_REPLACEMENT_HPP
#define TOMOGRAPH_BENCH_INDEPENDENT_REPLACEMENT_HPP

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "description.hpp"
#include "random.hpp"
#include "set.hpp"

namespace independent {

/// The nodes of a tree above a way, and those of them that point away from it when their bits are set.
struct TreePath {
  std::uint64_t nodes = 0;
  std::uint64_t bits = 0;
};

/// The replacement of a cache. The frequent policies are here; to jump by a table of policies takes the host longer
/// than what they do.
class Replacement {
 public:
  Replacement(const CacheDescription& description, std::uint64_t seed);

  /// Begins with an empty set, some ways of which may not be in use.
  static void begin(const Set& set);
  /// A hit of the line in `way`.
  void use(const Set& set, std::uint32_t way) {
    if (policy_ == Policy::lru) return move_to_front(set, way);
    if (policy_ == Policy::tree_plru) return point_away(set, way);
    if (marks_used_) {
      set.mark(way) = 1;
    } else if (heeds_hits_) {
      use_otherwise(set, way);
    }
  }
  /// The way whose line is to be replaced, in a set without invalid lines.
  std::uint32_t victim(const Set& set) {
    if (policy_ == Policy::lru) return oldest(set);
    if (policy_ == Policy::fifo) return static_cast<std::uint32_t>(set_state_[set.number]);
    if (policy_ == Policy::random) return static_cast<std::uint32_t>(random_.below(set.ways));
    return victim_otherwise(set);
  }
  /// `way` was filled.
  void insert(const Set& set, std::uint32_t way) {
    if (policy_ == Policy::lru) return move_to_front(set, way);
    if (policy_ == Policy::fifo) {
      set_state_[set.number] = way + 1 == set.ways ? 0 : way + 1;
    } else if (policy_ != Policy::random) {
      insert_otherwise(set, way);
    }
  }

 private:
  static void move_to_front(const Set& set, std::uint32_t way) {
    const std::int16_t old = set.rank(way);
    for (EightWays& eight : set.eights) {
      const auto ranks = std::bit_cast<Ranks>(eight.ranks);
      const Ranks next = (ranks - (ranks < old)) & (ranks != old);  // one more where it was less, 0 where it was equal
      eight.ranks = std::bit_cast<decltype(eight.ranks)>(next);
    }
  }
  [[nodiscard]] static std::uint32_t oldest(const Set& set) {
    const auto last = static_cast<std::int16_t>(set.ways - 1);
    std::uint32_t first = 0;
    for (const EightWays& eight : set.eights) {
      const auto [low, high] = std::bit_cast<std::array<std::uint64_t, 2>>(std::bit_cast<Ranks>(eight.ranks) == last);
      if ((low | high) != 0) {
        return first + static_cast<std::uint32_t>(low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(high)) / 16;
      }
      first += 8;
    }
    return 0;
  }
  [[nodiscard]] static std::uint32_t oldest_unprotected(const Set& set);
  void point_away(const Set& set, std::uint32_t way) {
    const TreePath& path = tree_paths_[set.ways][way];
    std::uint64_t& tree = set_state_[set.number];
    tree = (tree & ~path.nodes) | path.bits;
  }
  void use_otherwise(const Set& set, std::uint32_t way);
  std::uint32_t victim_otherwise(const Set& set);
  void insert_otherwise(const Set& set, std::uint32_t way);
  void protect(const Set& set, std::uint32_t way);
  std::uint32_t weighted_way();
  std::uint32_t not_last(const Set& set);
  [[nodiscard]] std::uint32_t follow_tree(const Set& set) const;
  std::uint32_t second_chance(const Set& set);
  std::uint32_t not_recent(const Set& set);

  Policy policy_;
  bool marks_used_;  ///< a hit sets a mark
  bool heeds_hits_;
  std::vector<double> way_weights_;
  int protected_ways_;
  Random random_;
  std::vector<std::uint64_t> set_state_;  ///< of each set: hand, tree or last way
  /// By the number of a set's ways, and by way. To walk down a tree takes branches that the host cannot predict.
  std::vector<std::vector<TreePath>> tree_paths_;
};

}  // namespace independent

#endif
