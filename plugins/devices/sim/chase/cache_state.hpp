#ifndef TOMOGRAPH_SIM_CHASE_CACHE_STATE_HPP
#define TOMOGRAPH_SIM_CHASE_CACHE_STATE_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "sim/gpu/description.hpp"
#include "sim/random.hpp"

namespace tomograph::sim {

/// What replacement needs to know of a cache: its sets' ways and its policy.
class Organisation {
 public:
  Organisation(std::span<const std::int64_t> set_ways, const Replacement& replacement);
  /// With fewer lines in all than there are ways.
  Organisation(std::span<const std::int64_t> set_ways, const Replacement& replacement, std::int64_t lines);

  [[nodiscard]] Replacement::Policy policy() const { return policy_; }
  [[nodiscard]] std::size_t sets() const { return first_slot_.size() - 1; }
  [[nodiscard]] std::uint32_t first_slot(std::uint32_t set) const { return first_slot_[set]; }
  [[nodiscard]] std::uint32_t ways(std::uint32_t set) const { return first_slot_[set + 1] - first_slot_[set]; }
  [[nodiscard]] std::uint32_t slots() const { return first_slot_.back(); }
  /// The most lines at a time.
  [[nodiscard]] std::uint32_t capacity() const { return capacity_; }
  /// Segmented LRU: the most lines of a set that are protected.
  [[nodiscard]] std::uint32_t protected_ways() const { return protected_ways_; }
  /// A way drawn with the way probabilities.
  [[nodiscard]] std::uint32_t weighted_way(Random& random) const;

 private:
  Replacement::Policy policy_;
  std::vector<std::uint32_t> first_slot_;  ///< and one past the last
  std::uint32_t capacity_ = 0;
  std::uint32_t protected_ways_;
  std::vector<double> cumulative_;
};

/// The contents of one cache while a program runs. Lines are numbered by the program, densely and in the
/// order of their first use, so that a look-up is one array access and the arrays are walked in order;
/// nothing is searched, whatever the associativity.
class CacheState {
 public:
  /// Empties the cache for a program with `set_of_line.size()` lines; both arguments must outlive its use.
  void reset(const Organisation& organisation, std::span<const std::uint32_t> set_of_line);

  /// Valid sectors of `line`, 0 if it is not resident.
  [[nodiscard]] std::uint32_t valid(std::uint32_t line) const { return lines_[line].valid; }

  /// Hints for this machine's own caches, some loads before `line` is used: first the slot of its set's next
  /// victim, then, once that has come, the victim. Without them a chase through a large L2 waits for memory.
  /// Inlined by force, since GCC takes a function that only prefetches for one that does nothing.
  [[gnu::always_inline]] void prepare_victim_slot(std::uint32_t line) const {
    if (lines_[line].valid == 0) __builtin_prefetch(&front(set_of_line_[line]), 1);
  }
  [[gnu::always_inline]] void prepare_victim(std::uint32_t line) const {
    if (lines_[line].valid != 0 || sets_[set_of_line_[line]].used == 0) return;
    __builtin_prefetch(&lines_[front(set_of_line_[line]).line], 1);
  }

  /// Records a use of a resident line. At most 2^32 - 1 uses and fills may follow a reset.
  void touch(std::uint32_t line) {
    lines_[line].last_use = ++clock_;
    if (!protected_.empty()) protect(line);
  }

  /// Makes `sectors` of `line` valid, evicting another line if its set is full.
  void fill(std::uint32_t line, std::uint32_t sectors, Random& random) {
    Line& filled = lines_[line];
    filled.last_use = ++clock_;
    if (filled.valid == 0) {
      admit(line, random);
    } else if (!protected_.empty()) {
      protect(line);
    }
    filled.valid |= sectors;
  }

 private:
  struct Line {
    std::uint32_t valid = 0;
    std::uint32_t last_use = 0;
  };
  struct Slot {
    std::uint32_t line;
    std::uint32_t last_use;  ///< LRU: as of when the slot was last looked at, so possibly too early
  };
  struct Set {
    std::uint32_t used = 0;
    std::uint32_t oldest = 0;
  };

  [[nodiscard]] const Slot& front(std::uint32_t set) const {
    return slots_[organisation_->first_slot(set) + sets_[set].oldest];
  }
  void admit(std::uint32_t line, Random& random);
  void give_up_any_line(Random& random);
  void protect(std::uint32_t line);
  [[nodiscard]] std::size_t oldest_unprotected(std::span<const Slot> slots) const;
  [[nodiscard]] std::size_t victim_way(Set& set, std::span<Slot> slots, Random& random) const;
  void let_used_lines_pass(Set& set, std::span<Slot> slots) const;

  const Organisation* organisation_ = nullptr;
  std::span<const std::uint32_t> set_of_line_;
  std::uint32_t clock_ = 0;
  std::uint32_t resident_ = 0;
  std::vector<Line> lines_;
  std::vector<std::uint8_t> protected_;  ///< by line, with segmented LRU; else empty
  /// By way of each set. With LRU and FIFO the slots of a full set are a queue that starts at the oldest and
  /// wraps around.
  std::vector<Slot> slots_;
  std::vector<Set> sets_;
};

}  // namespace tomograph::sim

#endif
