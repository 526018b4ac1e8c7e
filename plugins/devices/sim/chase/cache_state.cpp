#include "sim/chase/cache_state.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace tomograph::sim {

namespace {

Rule rule_of(Replacement::Policy policy) {
  switch (policy) {
    case Replacement::Policy::lru: return Rule::lru;
    case Replacement::Policy::fifo: return Rule::fifo;
    case Replacement::Policy::random: return Rule::random;
    case Replacement::Policy::way_weighted: return Rule::way_weighted;
    case Replacement::Policy::way_order: return Rule::way_order;
    case Replacement::Policy::segmented_lru: return Rule::segmented_lru;
    case Replacement::Policy::tree_plru: return Rule::tree_plru;
    case Replacement::Policy::not_recently_used: break;
  }
  return Rule::not_recently_used;
}

}  // namespace

Organisation::Organisation(std::span<const std::int64_t> set_ways, const Replacement& replacement)
    : rule_(rule_of(replacement.policy)),
      first_slot_{0},
      fewest_ways_(static_cast<std::uint32_t>(std::ranges::min(set_ways))),
      equal_ways_(std::ranges::max(set_ways) == fewest_ways_ ? fewest_ways_ : 0),
      protected_ways_(static_cast<std::uint32_t>(replacement.protected_ways)),
      recent_ways_(static_cast<std::uint32_t>(replacement.recent_ways)),
      cumulative_(replacement.way_probability.size()),
      way_order_(replacement.way_order.begin(), replacement.way_order.end()) {
  for (const std::int64_t ways : set_ways) first_slot_.push_back(first_slot_.back() + static_cast<std::uint32_t>(ways));
  std::partial_sum(replacement.way_probability.begin(), replacement.way_probability.end(), cumulative_.begin());
  capacity_ = first_slot_.back();
}

Organisation::Organisation(std::span<const std::int64_t> set_ways, const Replacement& replacement, std::int64_t lines)
    : Organisation(set_ways, replacement) {
  capacity_ = static_cast<std::uint32_t>(std::min<std::int64_t>(lines, first_slot_.back()));
}

Rule Organisation::rule(std::span<const std::uint32_t> set_of_line) const {
  if (rule_ == Rule::not_recently_used || set_of_line.size() > capacity_) return rule_;
  if (set_of_line.size() <= fewest_ways_) return Rule::no_eviction;
  std::vector<std::uint32_t> lines(sets());
  for (const std::uint32_t set : set_of_line) {
    if (++lines[set] > ways(set)) return rule_;
  }
  return Rule::no_eviction;
}

std::uint32_t Organisation::weighted_way(Random& random) const {
  const double drawn = random.unit() * cumulative_.back();
  return static_cast<std::uint32_t>(std::ranges::upper_bound(cumulative_, drawn) - cumulative_.begin());
}

void CacheState::reset(const Organisation& organisation, std::span<const std::uint32_t> set_of_line, Rule rule,
                       Random random) {
  organisation_ = &organisation;
  set_of_line_ = set_of_line;
  rule_ = rule;
  random_ = random;
  clock_ = 0;
  resident_ = 0;
  capacity_ = organisation.capacity();
  equal_ways_ = organisation.equal_ways();
  set_shift_ = static_cast<int>(std::bit_width(std::max(equal_ways_, 1U) - 1));
  free_.clear();
  if (rule == Rule::no_eviction) return valid_.assign(set_of_line.size(), 0);
  valid_.resize(set_of_line.size());
  const auto slots =
      static_cast<std::uint32_t>(equal_ways_ != 0 ? organisation.sets() << set_shift_ : organisation.slots());
  slots_.resize(slots + 1);
  slots_[slots] = vacant;
  lines_.assign(set_of_line.size(), {slots, 0});
  sets_.resize(organisation.sets());
  // evict_any_line draws from all sets, so all must be empty, not only those that the program uses.
  if (capacity_ < organisation.slots()) return sets_.assign(organisation.sets(), {});
  for (const std::uint32_t set : set_of_line) sets_[set] = {};
}

void CacheState::reset_with_intruder(const Organisation& organisation, std::span<const std::uint32_t> set_of_line,
                                     Rule rule, Random random) {
  reset(organisation, set_of_line, rule, random);
  sets_.assign(organisation.sets(), {});
}

void CacheState::free_if_foreign(std::uint32_t line) {
  if (line >= set_of_line_.size()) free_.push_back(line);
}

std::uint32_t CacheState::foreign_line() {
  if (free_.empty()) {
    lines_.emplace_back();
    valid_.push_back(0);
    return static_cast<std::uint32_t>(lines_.size() - 1);
  }
  const std::uint32_t line = free_.back();
  free_.pop_back();
  return line;
}

/// Evicts a random line of a cache that has fewer lines than ways. Such caches have equal sets. The other lines of the
/// set keep their order.
void CacheState::evict_any_line() {
  std::uint32_t number = 0;
  std::uint32_t way = 0;
  do {
    const std::uint32_t drawn = random_.below(organisation_->slots());
    number = drawn / equal_ways_;
    way = drawn - number * equal_ways_;
  } while (way >= sets_[number].used);
  const std::span<std::uint32_t> held = slots(number);
  const std::uint32_t victim = held[way];
  std::rotate(held.begin(), held.begin() + sets_[number].order, held.end());
  std::shift_left(std::ranges::find(held, victim), held.end(), 1);
  held.back() = vacant;
  sets_[number] = {sets_[number].used - 1, 0};
  for (way = 0; way < sets_[number].used; ++way) put(held[way], first_slot(number) + way);
  --resident_;
  free_if_foreign(line_in(victim));
}

/// Segmented LRU: if too many lines of the set are protected, the least recently used of them loses its protection and
/// becomes the most recently used unprotected line.
void CacheState::limit_protected_lines(std::uint32_t set) {
  const std::span<std::uint32_t> held = slots(set);
  const auto count = std::ranges::count_if(held, [](std::uint32_t slot) { return (slot & marked) != 0; });
  if (count <= organisation_->protected_ways()) return;
  std::uint32_t& slot = held[oldest(set, marked)];
  slot &= ~marked;
  lines_[slot].mark = clock_;
}

std::uint32_t CacheState::next_in_order(Set& set) const {
  const auto order = organisation_->way_order();
  const std::uint32_t way = order[set.order];
  if (++set.order == order.size()) set.order = 0;
  return way;
}

/// Mark and way are compared as one number, without branches: a processor could not predict them.
std::uint32_t CacheState::oldest(std::uint32_t set, std::uint32_t flag) const {
  const std::uint32_t* const held = &slots_[first_slot(set)];
  const Line* const lines = lines_.data();
  const std::uint32_t used = sets_[set].used;
  std::uint64_t least = ~std::uint64_t{0};
  for (std::uint32_t way = 0; way < used; ++way) {
    const std::uint32_t mark = ((held[way] ^ flag) & marked) | lines[line_in(held[way])].mark;
    least = std::min(least, std::uint64_t{mark} << 32 | way);
  }
  return static_cast<std::uint32_t>(least);
}

/// A random way, empty or not, except those of the most recently used lines.
std::uint32_t CacheState::not_recently_used(std::uint32_t set) {
  const std::span<const std::uint32_t> held = slots(set);
  while (true) {
    const std::uint32_t way = random_.below(ways(set));
    if (way >= held.size()) return way;
    const std::uint32_t mark = lines_[held[way]].mark;
    const auto later = std::ranges::count_if(held, [&](std::uint32_t line) { return lines_[line].mark > mark; });
    if (later >= organisation_->recent_ways()) return way;
  }
}

/// LRU with lazy updates: a use only marks the slot of its line and does not move it. If the line at the front of the
/// queue is marked, it is moved behind all lines whose last use is earlier, and the next one is examined. Invariant:
/// all lines behind an unmarked line were used later than it. Programs mostly repeat the order of their uses, so the
/// new place is mostly the end. Where they do not, sorting all lines takes less time than moving one by one.
void CacheState::requeue_used_lines(std::uint32_t set) {
  const std::span<std::uint32_t> queue = slots(set);
  const std::uint32_t first = first_slot(set);
  auto& [used, order, moves] = sets_[set];
  while ((queue[order] & marked) != 0) {
    if (moves > used) return sort_by_last_use(set);
    const std::uint32_t line = line_in(queue[order]);
    const std::uint32_t mark = lines_[line].mark;
    std::uint32_t place = order;
    order = place + 1 == queue.size() ? 0 : place + 1;
    for (std::uint32_t steps = static_cast<std::uint32_t>(queue.size()) - 1; steps > 0; --steps) {
      const std::uint32_t before = (place == 0 ? static_cast<std::uint32_t>(queue.size()) : place) - 1;
      if (lines_[line_in(queue[before])].mark <= mark) break;
      put(queue[before], first + place);
      place = before;
      ++moves;
    }
    put(line, first + place);
  }
}

/// The queue as it is after all uses: the line used longest ago first, and none marked.
void CacheState::sort_by_last_use(std::uint32_t set) {
  const std::span<std::uint32_t> queue = slots(set);
  std::rotate(queue.begin(), queue.begin() + sets_[set].order, queue.end());  // Clang 14 has no ranges::rotate
  sets_[set].order = 0;
  sets_[set].moves = 0;
  std::ranges::sort(queue, {}, [&](std::uint32_t slot) { return lines_[line_in(slot)].mark; });
  for (std::uint32_t place = 0; place < queue.size(); ++place) put(line_in(queue[place]), first_slot(set) + place);
}

/// Tree pseudo-LRU. Nodes are numbered as in a binary heap, from 1; way w is node w + ways. Bit n of the tree says
/// which child of node n was used longer ago, 1 for the right one. A use sets all bits on its path to the other child.
void CacheState::update_tree(std::uint32_t set, std::uint32_t way) {
  std::uint32_t& tree = sets_[set].order;
  for (std::uint32_t node = way + ways(set); node > 1; node /= 2) {
    const std::uint32_t bit = std::uint32_t{1} << (node / 2);
    tree = node % 2 == 0 ? tree | bit : tree & ~bit;
  }
}

std::uint32_t CacheState::tree_victim(std::uint32_t set) const {
  std::uint32_t node = 1;
  while (node < ways(set)) node = 2 * node + (sets_[set].order >> node & 1);
  return node - ways(set);
}

}  // namespace tomograph::sim
