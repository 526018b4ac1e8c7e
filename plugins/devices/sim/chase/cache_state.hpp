#ifndef TOMOGRAPH_SIM_CHASE_CACHE_STATE_HPP
#define TOMOGRAPH_SIM_CHASE_CACHE_STATE_HPP

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "sim/chase/large_pages.hpp"
#include "sim/gpu/description.hpp"
#include "sim/random.hpp"

namespace tomograph::sim {

/// How a cache chooses victims while a program runs: by its replacement policy, or never, if all lines of the program
/// fit.
enum class Rule : std::uint8_t {
  no_eviction,
  lru,
  fifo,
  random,
  way_weighted,
  way_order,
  segmented_lru,
  tree_plru,
  not_recently_used
};

/// The ways of a cache's sets and its replacement policy.
class Organisation {
 public:
  Organisation(std::span<const std::int64_t> set_ways, const Replacement& replacement);
  /// A cache that holds at most `lines` lines, fewer than it has ways.
  Organisation(std::span<const std::int64_t> set_ways, const Replacement& replacement, std::int64_t lines);

  /// The rule for a program whose lines belong to these sets.
  [[nodiscard]] Rule rule(std::span<const std::uint32_t> set_of_line) const;
  [[nodiscard]] std::size_t sets() const { return first_slot_.size() - 1; }
  [[nodiscard]] std::uint32_t first_slot(std::uint32_t set) const { return first_slot_[set]; }
  [[nodiscard]] std::uint32_t ways(std::uint32_t set) const { return first_slot_[set + 1] - first_slot_[set]; }
  /// The ways of every set; 0 if sets differ.
  [[nodiscard]] std::uint32_t equal_ways() const { return equal_ways_; }
  [[nodiscard]] std::uint32_t slots() const { return first_slot_.back(); }
  /// Most resident lines.
  [[nodiscard]] std::uint32_t capacity() const { return capacity_; }
  /// Segmented LRU: most protected lines of a set.
  [[nodiscard]] std::uint32_t protected_ways() const { return protected_ways_; }
  /// Not recently used: the most recently used lines of a set, which are never victims.
  [[nodiscard]] std::uint32_t recent_ways() const { return recent_ways_; }
  /// Way order: the ways of successive victims.
  [[nodiscard]] std::span<const std::uint32_t> way_order() const { return way_order_; }
  /// A way drawn with the way probabilities.
  [[nodiscard]] std::uint32_t weighted_way(Random& random) const;

  /// The rule for programs whose lines do not all fit.
  [[nodiscard]] Rule eviction_rule() const { return rule_; }

 private:
  Rule rule_;
  std::vector<std::uint32_t> first_slot_;  ///< and one past the last
  std::uint32_t fewest_ways_;
  std::uint32_t equal_ways_;
  std::uint32_t capacity_ = 0;
  std::uint32_t protected_ways_;
  std::uint32_t recent_ways_;
  std::vector<double> cumulative_;
  std::vector<std::uint32_t> way_order_;
};

/// Calls `visit` with `rule` as a type, so that the callee is compiled for each rule separately.
template <typename Visit>
decltype(auto) with_rule(Rule rule, Visit visit) {
  switch (rule) {
    case Rule::no_eviction: return visit(std::integral_constant<Rule, Rule::no_eviction>{});
    case Rule::lru: return visit(std::integral_constant<Rule, Rule::lru>{});
    case Rule::fifo: return visit(std::integral_constant<Rule, Rule::fifo>{});
    case Rule::random: return visit(std::integral_constant<Rule, Rule::random>{});
    case Rule::way_weighted: return visit(std::integral_constant<Rule, Rule::way_weighted>{});
    case Rule::way_order: return visit(std::integral_constant<Rule, Rule::way_order>{});
    case Rule::segmented_lru: return visit(std::integral_constant<Rule, Rule::segmented_lru>{});
    case Rule::tree_plru: return visit(std::integral_constant<Rule, Rule::tree_plru>{});
    case Rule::not_recently_used: break;
  }
  return visit(std::integral_constant<Rule, Rule::not_recently_used>{});
}

/// The contents of one cache while a program runs. Lines are numbered densely in the order of their first use, so
/// arrays indexed by line are read in order. Nothing is searched, whatever the associativity: a line remembers the slot
/// that it was last put in, and is resident while that slot holds it. Evicting a line therefore does not touch its
/// entry, which may lie anywhere in the host's memory.
class CacheState {
 public:
  /// Empties the cache for a program with `set_of_line.size()` lines. `organisation` and `set_of_line` must outlive the
  /// run. `rule` is the organisation's rule for these lines.
  void reset(const Organisation& organisation, std::span<const std::uint32_t> set_of_line, Rule rule, Random random);
  /// The same for a cache that an intruder uses too. `rule` must not be `no_eviction`.
  void reset_with_intruder(const Organisation& organisation, std::span<const std::uint32_t> set_of_line, Rule rule,
                           Random random);

  [[nodiscard]] Rule rule() const { return rule_; }
  /// Valid sectors of `line`, 0 if it is not resident.
  [[nodiscard]] std::uint32_t valid(std::uint32_t line) const {
    return rule_ == Rule::no_eviction ? held<Rule::no_eviction>(line) : held<Rule::lru>(line);
  }

  /// Uses `line`. If its sectors `wanted` are not valid, makes the sectors `fetched` valid, evicting another line if
  /// the set is full. Returns the sectors that were valid before. `rule` is that of the reset. At most 2^31 - 1 uses
  /// may follow a reset.
  template <Rule rule>
  [[gnu::always_inline]] std::uint32_t use(std::uint32_t line, std::uint32_t wanted, std::uint32_t fetched) {
    const std::uint32_t before = held<rule>(line);
    if (before != 0) {
      touch<rule>(line);
    } else {
      insert<rule>(line);
    }
    valid_[line] = before | ((before & wanted) == wanted ? 0 : fetched);
    return before;
  }

  /// Prefetches `sectors` of `line`: makes them valid if the line is resident or its set has an empty way. Does not
  /// count as a use.
  template <Rule rule>
  void prefetch(std::uint32_t line, std::uint32_t sectors) {
    const std::uint32_t before = held<rule>(line);
    if (before == 0) {
      if constexpr (rule != Rule::no_eviction) {
        const std::uint32_t set = set_of_line_[line];
        if (sets_[set].used == ways(set)) return;
        insert_at<rule>(set, line, sets_[set].used);
      }
    }
    valid_[line] = before | sectors;
  }

  /// Inserts a line of another process into a random set, as a miss would. Only after reset_with_intruder.
  template <Rule rule>
  void insert_foreign_line() {
    if constexpr (rule == Rule::no_eviction) return;
    const std::uint32_t line = foreign_line();
    insert_into<rule>(random_.below(static_cast<std::uint32_t>(sets_.size())), line);
    valid_[line] = 1;
  }

  /// Prefetches the host's memory for a later use of `line`: its set and the first of the set's slots. Without it,
  /// chases through a large L2 wait for the host's memory. Always inlined, since GCC drops calls of functions that only
  /// prefetch.
  [[gnu::always_inline]] void prefetch_on_host(std::uint32_t line) const {
    const std::uint32_t set = set_of_line_[line];
    __builtin_prefetch(&sets_[set], 1);
    __builtin_prefetch(&slots_[first_slot(set)], 1);
  }

 private:
  struct Line {
    std::uint32_t slot;  ///< that it was last put in; initially an extra slot at the end, which stays vacant
    std::uint32_t mark;  ///< LRU, segmented LRU, not recently used: time of the last use
  };
  struct Set {
    std::uint32_t used = 0;
    std::uint32_t order = 0;  ///< LRU, FIFO: the oldest way; way order: the next one's number; tree-PLRU: the tree
    std::uint32_t moves = 0;  ///< LRU: how many lines were moved one by one since the queue was sorted
  };
  /// Flag of a slot. LRU: the line was used again since the slot was last examined. Segmented LRU: the line is
  /// protected.
  static constexpr std::uint32_t marked = std::uint32_t{1} << 31;
  static constexpr std::uint32_t vacant = ~marked;

  /// Valid sectors of `line`.
  template <Rule rule>
  [[nodiscard]] std::uint32_t held(std::uint32_t line) const {
    if constexpr (rule == Rule::no_eviction) return valid_[line];
    return line_in(slots_[lines_[line].slot]) == line ? valid_[line] : 0;
  }
  [[nodiscard]] static std::uint32_t line_in(std::uint32_t slot) { return slot & ~marked; }
  [[nodiscard]] std::uint32_t first_slot(std::uint32_t set) const {
    return equal_ways_ != 0 ? set << set_shift_ : organisation_->first_slot(set);
  }
  [[nodiscard]] std::uint32_t ways(std::uint32_t set) const {
    return equal_ways_ != 0 ? equal_ways_ : organisation_->ways(set);
  }
  [[nodiscard]] std::span<std::uint32_t> slots(std::uint32_t set) {
    return std::span(slots_).subspan(first_slot(set), sets_[set].used);
  }
  [[nodiscard]] std::uint32_t now() { return ++clock_; }

  template <Rule rule>
  void touch(std::uint32_t line) {
    if constexpr (rule == Rule::lru) {
      lines_[line].mark = now();
      slots_[lines_[line].slot] |= marked;
    }
    if constexpr (rule == Rule::segmented_lru) {
      lines_[line].mark = now();
      std::uint32_t& slot = slots_[lines_[line].slot];
      if ((slot & marked) != 0) return;
      slot |= marked;
      limit_protected_lines(set_of_line_[line]);
    }
    if constexpr (rule == Rule::tree_plru) {
      const std::uint32_t set = set_of_line_[line];
      update_tree(set, lines_[line].slot - first_slot(set));
    }
    if constexpr (rule == Rule::not_recently_used) lines_[line].mark = now();
  }

  template <Rule rule>
  void insert(std::uint32_t line) {
    if constexpr (rule == Rule::no_eviction) return;
    insert_into<rule>(set_of_line_[line], line);
  }

  template <Rule rule>
  [[gnu::always_inline]] void insert_into(std::uint32_t number, std::uint32_t line) {
    const std::uint32_t used = sets_[number].used;
    const bool fills = rule != Rule::not_recently_used && used < ways(number);
    insert_at<rule>(number, line, fills ? used : victim_way<rule>(number));
  }

  /// Puts `line` into `way` of the set, or into the first empty way if `way` is empty.
  template <Rule rule>
  [[gnu::always_inline]] void insert_at(std::uint32_t number, std::uint32_t line, std::uint32_t way) {
    if (way >= sets_[number].used) {
      if (resident_ == capacity_) evict_any_line();
      way = sets_[number].used++;
      ++resident_;
    } else if (lines_.size() != set_of_line_.size()) {
      free_if_foreign(line_in(slots_[first_slot(number) + way]));
    }
    put(line, first_slot(number) + way);
    if constexpr (rule == Rule::lru || rule == Rule::segmented_lru || rule == Rule::not_recently_used) {
      lines_[line].mark = now();
    }
    if constexpr (rule == Rule::tree_plru) update_tree(number, way);
  }

  template <Rule rule>
  [[nodiscard]] std::uint32_t victim_way(std::uint32_t number) {
    Set& set = sets_[number];
    if constexpr (rule == Rule::random) return random_.below(set.used);
    if constexpr (rule == Rule::way_weighted) return organisation_->weighted_way(random_);
    if constexpr (rule == Rule::way_order) return next_in_order(set);
    if constexpr (rule == Rule::segmented_lru) return oldest(number, 0);
    if constexpr (rule == Rule::tree_plru) return tree_victim(number);
    if constexpr (rule == Rule::not_recently_used) return not_recently_used(number);
    if constexpr (rule == Rule::lru) {
      if ((slots_[first_slot(number) + set.order] & marked) != 0) requeue_used_lines(number);
    }
    const std::uint32_t way = set.order;
    set.order = way + 1 == set.used ? 0 : way + 1;
    return way;
  }

  /// Puts a line with its flag into `slot`.
  void put(std::uint32_t flagged, std::uint32_t slot) {
    slots_[slot] = flagged;
    lines_[line_in(flagged)].slot = slot;
  }
  /// Makes the number of an evicted line of another process available again.
  void free_if_foreign(std::uint32_t line);
  /// An unused number for a line of another process.
  [[nodiscard]] std::uint32_t foreign_line();
  void evict_any_line();
  void limit_protected_lines(std::uint32_t set);
  [[nodiscard]] std::uint32_t next_in_order(Set& set) const;
  /// The way of the line used longest ago among those that have `flag`, or are without it if it is 0.
  [[nodiscard]] std::uint32_t oldest(std::uint32_t set, std::uint32_t flag) const;
  [[nodiscard]] std::uint32_t not_recently_used(std::uint32_t set);
  void requeue_used_lines(std::uint32_t set);
  void sort_by_last_use(std::uint32_t set);
  void update_tree(std::uint32_t set, std::uint32_t way);
  [[nodiscard]] std::uint32_t tree_victim(std::uint32_t set) const;

  const Organisation* organisation_ = nullptr;
  std::span<const std::uint32_t> set_of_line_;
  Rule rule_ = Rule::no_eviction;
  Random random_;
  std::uint32_t clock_ = 0;
  std::uint32_t resident_ = 0;
  std::uint32_t capacity_ = 0;
  std::uint32_t equal_ways_ = 0;
  int set_shift_ = 0;                 ///< equal sets start at multiples of this power of two
  LargeVector<std::uint32_t> valid_;  ///< by line: its sectors that are valid, if it is resident
  LargeVector<Line> lines_;
  /// The line in each way of each set, with its flag. Under LRU and FIFO the slots of a full set form a circular queue
  /// that starts at the oldest line.
  LargeVector<std::uint32_t> slots_;
  LargeVector<Set> sets_;
  std::vector<std::uint32_t> free_;  ///< available numbers of foreign lines, above those of the program
};

}  // namespace tomograph::sim

#endif
