#ifndef TOMOGRAPH_SIM_SIMULATION_CACHE_STATE_HPP
#define TOMOGRAPH_SIM_SIMULATION_CACHE_STATE_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "sim/gpu/description.hpp"
#include "sim/simulation/random.hpp"

namespace tomograph::sim {

/// What replacement needs to know of a cache: its sets' ways and its policy.
class Organisation {
 public:
  Organisation(std::span<const std::int64_t> set_ways, const Replacement& replacement);

  [[nodiscard]] Replacement::Policy policy() const { return policy_; }
  [[nodiscard]] std::size_t sets() const { return first_slot_.size() - 1; }
  [[nodiscard]] std::uint32_t first_slot(std::uint32_t set) const { return first_slot_[set]; }
  [[nodiscard]] std::uint32_t ways(std::uint32_t set) const { return first_slot_[set + 1] - first_slot_[set]; }
  [[nodiscard]] std::uint32_t slots() const { return first_slot_.back(); }
  /// A way drawn with the way probabilities.
  [[nodiscard]] std::uint32_t weighted_way(Random& random) const;

 private:
  Replacement::Policy policy_;
  std::vector<std::uint32_t> first_slot_;  ///< and one past the last
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
  [[nodiscard]] std::uint32_t valid(std::uint32_t line) const { return valid_[line]; }

  /// Records a use of a resident line.
  void touch(std::uint32_t line) {
    if (organisation_->policy() == Replacement::Policy::lru) make_newest(line);
  }

  /// Makes `sectors` of `line` valid, evicting another line if its set is full.
  void fill(std::uint32_t line, std::uint32_t sectors, Random& random) {
    if (valid_[line] != 0) {
      touch(line);
    } else if (organisation_->policy() == Replacement::Policy::lru) {
      admit_newest(line);
    } else {
      admit_slot(line, random);
    }
    valid_[line] |= sectors;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Neighbours {
    std::uint32_t older = none;
    std::uint32_t newer = none;
  };
  struct Set {
    std::uint32_t used = 0;
    std::uint32_t newest = none;
    std::uint32_t oldest = none;
    std::uint32_t next_victim = 0;
  };

  void make_newest(std::uint32_t line);
  void push_newest(Set& set, std::uint32_t line);
  void admit_newest(std::uint32_t line);
  void admit_slot(std::uint32_t line, Random& random);
  [[nodiscard]] std::uint32_t victim_way(Set& set, std::uint32_t ways, Random& random) const;

  const Organisation* organisation_ = nullptr;
  std::span<const std::uint32_t> set_of_line_;
  std::vector<std::uint32_t> valid_;
  std::vector<Neighbours> neighbours_;  ///< LRU: by line
  std::vector<std::uint32_t> slots_;    ///< other policies: line in each way of each set
  std::vector<Set> sets_;
};

}  // namespace tomograph::sim

#endif
