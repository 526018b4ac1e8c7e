#include "sim/chase/cache_state.hpp"

#include <algorithm>
#include <numeric>

namespace tomograph::sim {

Organisation::Organisation(std::span<const std::int64_t> set_ways, const Replacement& replacement)
    : policy_(replacement.policy),
      first_slot_{0},
      protected_ways_(static_cast<std::uint32_t>(replacement.protected_ways)),
      cumulative_(replacement.way_probability.size()) {
  for (const std::int64_t ways : set_ways) first_slot_.push_back(first_slot_.back() + static_cast<std::uint32_t>(ways));
  std::partial_sum(replacement.way_probability.begin(), replacement.way_probability.end(), cumulative_.begin());
  capacity_ = first_slot_.back();
}

Organisation::Organisation(std::span<const std::int64_t> set_ways, const Replacement& replacement, std::int64_t lines)
    : Organisation(set_ways, replacement) {
  capacity_ = static_cast<std::uint32_t>(std::min<std::int64_t>(lines, first_slot_.back()));
}

std::uint32_t Organisation::weighted_way(Random& random) const {
  const double drawn = random.unit() * cumulative_.back();
  return static_cast<std::uint32_t>(std::ranges::upper_bound(cumulative_, drawn) - cumulative_.begin());
}

void CacheState::reset(const Organisation& organisation, std::span<const std::uint32_t> set_of_line) {
  organisation_ = &organisation;
  set_of_line_ = set_of_line;
  clock_ = 0;
  resident_ = 0;
  lines_.assign(set_of_line.size(), {});
  protected_.assign(organisation.policy() == Replacement::Policy::segmented_lru ? set_of_line.size() : 0, 0);
  slots_.resize(organisation.slots());
  sets_.resize(organisation.sets());
  for (const std::uint32_t set : set_of_line) sets_[set] = {};
}

void CacheState::admit(std::uint32_t line, Random& random) {
  const std::uint32_t number = set_of_line_[line];
  Set& set = sets_[number];
  const std::span slots = std::span(slots_).subspan(organisation_->first_slot(number), organisation_->ways(number));
  const Slot newcomer{line, lines_[line].last_use};
  if (set.used < slots.size()) {
    if (resident_ == organisation_->capacity()) give_up_any_line(random);
    slots[set.used++] = newcomer;
    ++resident_;
    return;
  }
  Slot& victim = slots[victim_way(set, slots, random)];
  lines_[victim.line].valid = 0;
  if (!protected_.empty()) protected_[victim.line] = 0;
  victim = newcomer;
}

/// For caches with more ways than lines: one line leaves, wherever it is, and the others of its set keep their order.
void CacheState::give_up_any_line(Random& random) {
  std::uint32_t victim = 0;
  do {
    victim = random.below(static_cast<std::uint32_t>(lines_.size()));
  } while (lines_[victim].valid == 0);
  const std::uint32_t number = set_of_line_[victim];
  Set& set = sets_[number];
  const std::span slots = std::span(slots_).subspan(organisation_->first_slot(number), set.used);
  std::ranges::rotate(slots, slots.begin() + set.oldest);
  set.oldest = 0;
  std::shift_left(std::ranges::find(slots, victim, &Slot::line), slots.end(), 1);
  --set.used;
  --resident_;
  lines_[victim].valid = 0;
  if (!protected_.empty()) protected_[victim] = 0;
}

/// A line that is used again is protected; where that makes one too many, the least recently used of them goes back
/// among the others, as their youngest.
void CacheState::protect(std::uint32_t line) {
  if (protected_[line] != 0) return;
  protected_[line] = 1;
  const std::uint32_t set = set_of_line_[line];
  std::uint32_t count = 0;
  std::uint32_t oldest = line;
  for (const Slot& slot : std::span(slots_).subspan(organisation_->first_slot(set), sets_[set].used)) {
    if (protected_[slot.line] == 0) continue;
    ++count;
    if (lines_[slot.line].last_use < lines_[oldest].last_use) oldest = slot.line;
  }
  if (count <= organisation_->protected_ways()) return;
  protected_[oldest] = 0;
  lines_[oldest].last_use = clock_;
}

std::size_t CacheState::oldest_unprotected(std::span<const Slot> slots) const {
  std::size_t oldest = slots.size();
  for (std::size_t way = 0; way < slots.size(); ++way) {
    if (protected_[slots[way].line] != 0) continue;
    if (oldest == slots.size() || lines_[slots[way].line].last_use < lines_[slots[oldest].line].last_use) oldest = way;
  }
  return oldest;
}

std::size_t CacheState::victim_way(Set& set, std::span<Slot> slots, Random& random) const {
  const Replacement::Policy policy = organisation_->policy();
  if (policy == Replacement::Policy::random) return random.below(static_cast<std::uint32_t>(slots.size()));
  if (policy == Replacement::Policy::way_weighted) return organisation_->weighted_way(random);
  if (policy == Replacement::Policy::segmented_lru) return oldest_unprotected(slots);
  if (policy == Replacement::Policy::lru) let_used_lines_pass(set, slots);
  const std::uint32_t way = set.oldest;
  set.oldest = way + 1 == slots.size() ? 0 : way + 1;
  return way;
}

/// A use leaves its line's slot where it is, too near the front of the queue. So the line in front is the
/// oldest only if its slot is up to date; if not, it moves back to where it belongs, and the next one is
/// looked at. Lines are mostly used in the order in which they were before, and then that place is the end.
void CacheState::let_used_lines_pass(Set& set, std::span<Slot> slots) const {
  while (true) {
    Slot front = slots[set.oldest];
    const std::uint32_t last_use = lines_[front.line].last_use;
    if (front.last_use == last_use) return;
    front.last_use = last_use;
    std::size_t place = set.oldest;
    set.oldest = place + 1 == slots.size() ? 0 : static_cast<std::uint32_t>(place + 1);
    while (place != set.oldest) {
      const std::size_t before = place == 0 ? slots.size() - 1 : place - 1;
      if (slots[before].last_use <= last_use) break;
      slots[place] = slots[before];
      place = before;
    }
    slots[place] = front;
  }
}

}  // namespace tomograph::sim
