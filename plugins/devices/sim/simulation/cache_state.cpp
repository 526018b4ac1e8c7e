#include "sim/simulation/cache_state.hpp"

#include <algorithm>
#include <numeric>

namespace tomograph::sim {

Organisation::Organisation(std::span<const std::int64_t> set_ways, const Replacement& replacement)
    : policy_(replacement.policy), first_slot_{0}, cumulative_(replacement.way_probability.size()) {
  for (const std::int64_t ways : set_ways) first_slot_.push_back(first_slot_.back() + static_cast<std::uint32_t>(ways));
  std::partial_sum(replacement.way_probability.begin(), replacement.way_probability.end(), cumulative_.begin());
}

std::uint32_t Organisation::weighted_way(Random& random) const {
  const double drawn = random.unit() * cumulative_.back();
  return static_cast<std::uint32_t>(std::ranges::upper_bound(cumulative_, drawn) - cumulative_.begin());
}

void CacheState::reset(const Organisation& organisation, std::span<const std::uint32_t> set_of_line) {
  organisation_ = &organisation;
  set_of_line_ = set_of_line;
  valid_.assign(set_of_line.size(), 0);
  sets_.resize(organisation.sets());
  for (const std::uint32_t set : set_of_line) sets_[set] = {};
  if (organisation.policy() == Replacement::Policy::lru) {
    neighbours_.resize(set_of_line.size());
  } else {
    slots_.resize(organisation.slots());
  }
}

void CacheState::make_newest(std::uint32_t line) {
  Set& set = sets_[set_of_line_[line]];
  if (set.newest == line) return;
  const Neighbours around = neighbours_[line];
  neighbours_[around.newer].older = around.older;
  if (around.older == none) {
    set.oldest = around.newer;
  } else {
    neighbours_[around.older].newer = around.newer;
  }
  push_newest(set, line);
}

void CacheState::push_newest(Set& set, std::uint32_t line) {
  neighbours_[line] = {set.newest, none};
  if (set.newest == none) {
    set.oldest = line;
  } else {
    neighbours_[set.newest].newer = line;
  }
  set.newest = line;
}

void CacheState::admit_newest(std::uint32_t line) {
  const std::uint32_t number = set_of_line_[line];
  Set& set = sets_[number];
  if (set.used < organisation_->ways(number)) {
    ++set.used;
  } else {
    const std::uint32_t victim = set.oldest;
    valid_[victim] = 0;
    set.oldest = neighbours_[victim].newer;
    if (set.oldest == none) {
      set.newest = none;
    } else {
      neighbours_[set.oldest].older = none;
    }
  }
  push_newest(set, line);
}

void CacheState::admit_slot(std::uint32_t line, Random& random) {
  const std::uint32_t number = set_of_line_[line];
  Set& set = sets_[number];
  const std::uint32_t ways = organisation_->ways(number);
  const bool full = set.used == ways;
  const std::uint32_t way = full ? victim_way(set, ways, random) : set.used++;
  std::uint32_t& slot = slots_[organisation_->first_slot(number) + way];
  if (full) valid_[slot] = 0;
  slot = line;
}

std::uint32_t CacheState::victim_way(Set& set, std::uint32_t ways, Random& random) const {
  switch (organisation_->policy()) {
    case Replacement::Policy::fifo: {
      const std::uint32_t way = set.next_victim;
      set.next_victim = way + 1 == ways ? 0 : way + 1;
      return way;
    }
    case Replacement::Policy::way_weighted: return organisation_->weighted_way(random);
    default: return random.below(ways);
  }
}

}  // namespace tomograph::sim
