#ifndef TOMOGRAPH_SIM_CHASE_INSTANCES_HPP
#define TOMOGRAPH_SIM_CHASE_INSTANCES_HPP

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/chase/cache_state.hpp"

namespace tomograph::sim {

/// The instances of one cache or TLB level that a program uses. They are few, so they are searched linearly. Their
/// states reuse their memory from program to program.
class Instances {
 public:
  void clear() { numbers_.clear(); }
  void add(std::uint32_t number) {
    if (std::ranges::find(numbers_, number) == numbers_.end()) numbers_.push_back(number);
  }
  /// Empties all instances for a program. `organisation` and `set_of_line` must outlive the run. Each instance has its
  /// own random numbers.
  void reset(const Organisation& organisation, std::span<const std::uint32_t> set_of_line, std::uint64_t seed) {
    if (states_.size() < numbers_.size()) states_.resize(numbers_.size());
    const Rule rule = organisation.rule(set_of_line);
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      states_[i].reset(organisation, set_of_line, rule, Random(mix(seed + numbers_[i])));
    }
  }

  [[nodiscard]] CacheState& operator[](std::uint32_t number) {
    return states_[static_cast<std::size_t>(std::ranges::find(numbers_, number) - numbers_.begin())];
  }

 private:
  std::vector<std::uint32_t> numbers_;
  std::vector<CacheState> states_;
};

}  // namespace tomograph::sim

#endif
