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

/// How a cache makes room while a program runs: by its replacement policy, or, where everything that the program can
/// touch fits beside each other, not at all.
enum class Rule : std::uint8_t {
  roomy,
  lru,
  fifo,
  random,
  way_weighted,
  way_order,
  segmented_lru,
  tree_plru,
  not_recently_used
};

/// What replacement needs to know of a cache: its sets' ways and its policy.
class Organisation {
 public:
  Organisation(std::span<const std::int64_t> set_ways, const Replacement& replacement);
  /// With fewer lines in all than there are ways.
  Organisation(std::span<const std::int64_t> set_ways, const Replacement& replacement, std::int64_t lines);

  /// The rule for a program that can touch these lines.
  [[nodiscard]] Rule rule(std::span<const std::uint32_t> set_of_line) const;
  [[nodiscard]] std::size_t sets() const { return first_slot_.size() - 1; }
  [[nodiscard]] std::uint32_t first_slot(std::uint32_t set) const { return first_slot_[set]; }
  [[nodiscard]] std::uint32_t ways(std::uint32_t set) const { return first_slot_[set + 1] - first_slot_[set]; }
  /// The ways of every set, 0 if they differ.
  [[nodiscard]] std::uint32_t equal_ways() const { return equal_ways_; }
  [[nodiscard]] std::uint32_t slots() const { return first_slot_.back(); }
  /// The most lines at a time.
  [[nodiscard]] std::uint32_t capacity() const { return capacity_; }
  /// Segmented LRU: the most lines of a set that are protected.
  [[nodiscard]] std::uint32_t protected_ways() const { return protected_ways_; }
  /// Not recently used: the lines of a set, those used last, that are no victims.
  [[nodiscard]] std::uint32_t recent_ways() const { return recent_ways_; }
  /// The ways that victims are taken from in turn.
  [[nodiscard]] std::span<const std::uint32_t> way_order() const { return way_order_; }
  /// A way drawn with the way probabilities.
  [[nodiscard]] std::uint32_t weighted_way(Random& random) const;

  /// The rule for lines that do not all find room.
  [[nodiscard]] Rule crowded_rule() const { return rule_; }

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

/// Calls `visit` with `rule` as a type, so that what it calls is compiled for each rule by itself.
template <typename Visit>
decltype(auto) with_rule(Rule rule, Visit visit) {
  switch (rule) {
    case Rule::roomy: return visit(std::integral_constant<Rule, Rule::roomy>{});
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

/// The contents of one cache while a program runs. Lines are numbered by the program, densely and in the
/// order of their first use, so that what is kept by line is walked in order; nothing is searched, whatever the
/// associativity. A line knows the slot that it was put in, and is resident as long as the slot holds it: the line that
/// takes the slot leaves the other one alone, which lies anywhere in this machine's memory.
class CacheState {
 public:
  /// Empties the cache for a program with `set_of_line.size()` lines; both references must outlive its use. `rule` is
  /// that of the organisation for these lines.
  void reset(const Organisation& organisation, std::span<const std::uint32_t> set_of_line, Rule rule, Random random);
  /// The same for a cache into which others may intrude; `rule` is then not `roomy`.
  void reset_open(const Organisation& organisation, std::span<const std::uint32_t> set_of_line, Rule rule,
                  Random random);

  [[nodiscard]] Rule rule() const { return rule_; }
  /// Valid sectors of `line`, 0 if it is not resident.
  [[nodiscard]] std::uint32_t valid(std::uint32_t line) const {
    return rule_ == Rule::roomy ? held<Rule::roomy>(line) : held<Rule::lru>(line);
  }

  /// Uses `line`; unless its sectors `wanted` are valid, makes `fetched` so, evicting another line if there is no room.
  /// Returns the sectors that were valid before. `rule` is the one of the reset. At most 2^31 - 1 uses may follow a
  /// reset.
  template <Rule rule>
  [[gnu::always_inline]] std::uint32_t use(std::uint32_t line, std::uint32_t wanted, std::uint32_t fetched) {
    const std::uint32_t before = held<rule>(line);
    if (before != 0) {
      touch<rule>(line);
    } else {
      admit<rule>(line);
    }
    valid_[line] = before | ((before & wanted) == wanted ? 0 : fetched);
    return before;
  }

  /// Makes `sectors` of `line` valid if it is resident or its set has an empty way. That is no use of the line.
  template <Rule rule>
  void bring(std::uint32_t line, std::uint32_t sectors) {
    const std::uint32_t before = held<rule>(line);
    if (before == 0) {
      if constexpr (rule != Rule::roomy) {
        const std::uint32_t set = set_of_line_[line];
        if (sets_[set].used == ways(set)) return;
        settle<rule>(set, line, sets_[set].used);
      }
    }
    valid_[line] = before | sectors;
  }

  /// A line of another process comes into any set, as on a miss, and stays until it is evicted. After reset_open only.
  template <Rule rule>
  void intrude() {
    if constexpr (rule == Rule::roomy) return;
    const std::uint32_t line = foreign_line();
    admit_to<rule>(random_.below(static_cast<std::uint32_t>(sets_.size())), line);
    valid_[line] = 1;
  }

  /// A hint for this machine's own caches, some uses before that of `line`: its set and the first of the set's slots,
  /// up to 16 of which lie together. Without it a chase through a large L2 waits for memory. Inlined by force, since
  /// GCC takes a function that only prefetches for one that does nothing.
  [[gnu::always_inline]] void prepare(std::uint32_t line) const {
    const std::uint32_t set = set_of_line_[line];
    __builtin_prefetch(&sets_[set], 1);
    __builtin_prefetch(&slots_[first_slot(set)], 1);
  }

 private:
  struct Line {
    std::uint32_t slot;  ///< that it was put in last; before, the last one of all, which no line is put in
    std::uint32_t mark;  ///< LRU, segmented LRU, not recently used: time of the last use
  };
  struct Set {
    std::uint32_t used = 0;
    std::uint32_t order = 0;  ///< LRU, FIFO: the oldest way; way order: the next one's number; tree-PLRU: the tree
  };
  /// Flag of a slot. LRU: its line was used again since the slot was last looked at. Segmented LRU: it is protected.
  static constexpr std::uint32_t marked = std::uint32_t{1} << 31;
  static constexpr std::uint32_t vacant = ~marked;

  /// Valid sectors of `line`.
  template <Rule rule>
  [[nodiscard]] std::uint32_t held(std::uint32_t line) const {
    if constexpr (rule == Rule::roomy) return valid_[line];
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
      keep_within_segment(set_of_line_[line]);
    }
    if constexpr (rule == Rule::tree_plru) {
      const std::uint32_t set = set_of_line_[line];
      point_away(set, lines_[line].slot - first_slot(set));
    }
    if constexpr (rule == Rule::not_recently_used) lines_[line].mark = now();
  }

  template <Rule rule>
  void admit(std::uint32_t line) {
    if constexpr (rule == Rule::roomy) return;
    admit_to<rule>(set_of_line_[line], line);
  }

  template <Rule rule>
  [[gnu::always_inline]] void admit_to(std::uint32_t number, std::uint32_t line) {
    const std::uint32_t used = sets_[number].used;
    const bool fills = rule != Rule::not_recently_used && used < ways(number);
    settle<rule>(number, line, fills ? used : victim_way<rule>(number));
  }

  /// Puts `line` into a way of the set, the first empty one if `way` is one of those.
  template <Rule rule>
  [[gnu::always_inline]] void settle(std::uint32_t number, std::uint32_t line, std::uint32_t way) {
    if (way >= sets_[number].used) {
      if (resident_ == capacity_) give_up_any_line();
      way = sets_[number].used++;
      ++resident_;
    } else if (lines_.size() != set_of_line_.size()) {
      free_if_foreign(line_in(slots_[first_slot(number) + way]));
    }
    put(line, first_slot(number) + way);
    if constexpr (rule == Rule::lru || rule == Rule::segmented_lru || rule == Rule::not_recently_used) {
      lines_[line].mark = now();
    }
    if constexpr (rule == Rule::tree_plru) point_away(number, way);
  }

  template <Rule rule>
  [[nodiscard]] std::uint32_t victim_way(std::uint32_t number) {
    Set& set = sets_[number];
    if constexpr (rule == Rule::random) return random_.below(set.used);
    if constexpr (rule == Rule::way_weighted) return organisation_->weighted_way(random_);
    if constexpr (rule == Rule::way_order) return next_in_order(set);
    if constexpr (rule == Rule::segmented_lru) return oldest(number, 0);
    if constexpr (rule == Rule::tree_plru) return pointed_at(number);
    if constexpr (rule == Rule::not_recently_used) return not_recently_used(number);
    if constexpr (rule == Rule::lru) {
      if ((slots_[first_slot(number) + set.order] & marked) != 0) let_used_lines_pass(number);
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
  /// Takes back the number of a line that was evicted if it was one of another process.
  void free_if_foreign(std::uint32_t line);
  /// A number of a line of another process that is not resident.
  [[nodiscard]] std::uint32_t foreign_line();
  void give_up_any_line();
  void keep_within_segment(std::uint32_t set);
  [[nodiscard]] std::uint32_t next_in_order(Set& set) const;
  /// The way of the line used longest ago among those that have `flag`, or are without it if it is 0.
  [[nodiscard]] std::uint32_t oldest(std::uint32_t set, std::uint32_t flag) const;
  [[nodiscard]] std::uint32_t not_recently_used(std::uint32_t set);
  void let_used_lines_pass(std::uint32_t set);
  void point_away(std::uint32_t set, std::uint32_t way);
  [[nodiscard]] std::uint32_t pointed_at(std::uint32_t set) const;

  const Organisation* organisation_ = nullptr;
  std::span<const std::uint32_t> set_of_line_;
  Rule rule_ = Rule::roomy;
  Random random_;
  std::uint32_t clock_ = 0;
  std::uint32_t resident_ = 0;
  std::uint32_t capacity_ = 0;
  std::uint32_t equal_ways_ = 0;
  int set_shift_ = 0;                 ///< equal sets start at multiples of this power of two
  LargeVector<std::uint32_t> valid_;  ///< by line: its sectors that are valid, if it is resident
  LargeVector<Line> lines_;
  /// Lines, by way of each set, and flags. With LRU and FIFO the slots of a full set are a queue that starts at the
  /// oldest and wraps around.
  LargeVector<std::uint32_t> slots_;
  LargeVector<Set> sets_;
  std::vector<std::uint32_t> free_;  ///< numbers, from the program's on, of foreign lines that were evicted
};

}  // namespace tomograph::sim

#endif
