#include "replacement.hpp"

#include <algorithm>

namespace independent {

namespace {

constexpr std::uint8_t most_distant = 3;  ///< re-reference interval of a victim (srrip)
constexpr std::uint64_t bip_period = 32;  ///< one new line in so many enters at the front
constexpr std::uint8_t is_protected = 1;  ///< mark of a line in the protected segment

}  // namespace

Replacement::Replacement(const CacheDescription& description, std::uint64_t seed)
    : policy_(description.policy),
      way_weights_(description.way_weights),
      protected_ways_(description.protected_ways),
      random_(seed),
      age_(static_cast<std::size_t>(description.lines()), now_),
      mark_(static_cast<std::size_t>(description.lines())),
      set_state_(description.set_ways.size()) {}

void Replacement::use(std::uint32_t set, std::uint32_t first, std::uint32_t end, std::uint32_t line) {
  switch (policy_) {
    case Policy::fifo:
    case Policy::random:
    case Policy::way_weighted: break;
    case Policy::lru:
    case Policy::lip:
    case Policy::bip: age_[line] = ++now_; break;
    case Policy::segmented_lru: protect(first, end, line); break;
    case Policy::tree_plru: point_away(set, end - first, line - first); break;
    case Policy::nru:
    case Policy::clock: mark_[line] = 1; break;
    case Policy::bit_plru: mark_used(first, end, line); break;
    case Policy::srrip: mark_[line] = 0; break;
    case Policy::not_last: set_state_[set] = line; break;
  }
}

std::uint32_t Replacement::victim(std::uint32_t set, std::uint32_t first, std::uint32_t end) {
  const std::uint32_t ways = end - first;
  switch (policy_) {
    case Policy::lru:
    case Policy::lip:
    case Policy::bip: return oldest(first, end);
    case Policy::fifo: return first + static_cast<std::uint32_t>(set_state_[set] % ways);
    case Policy::random: break;
    case Policy::way_weighted: return first + weighted_way();
    case Policy::segmented_lru: return oldest_unprotected(first, end);
    case Policy::tree_plru: return first + follow_tree(set, ways);
    case Policy::nru: return not_recent(set, first, end);
    case Policy::bit_plru: return first_unmarked(first, end);
    case Policy::srrip: return distant(first, end);
    case Policy::clock: return second_chance(set, first, end);
    case Policy::not_last: {
      if (ways == 1) return first;
      const auto way = first + static_cast<std::uint32_t>(random_.below(ways - 1));
      return way < set_state_[set] ? way : way + 1;
    }
  }
  return first + static_cast<std::uint32_t>(random_.below(ways));
}

void Replacement::insert(std::uint32_t set, std::uint32_t first, std::uint32_t end, std::uint32_t line) {
  switch (policy_) {
    case Policy::fifo: set_state_[set] = (line - first + 1) % (end - first); break;
    case Policy::segmented_lru:
      age_[line] = ++now_;
      mark_[line] = 0;
      break;
    case Policy::clock: mark_[line] = 0; break;
    case Policy::srrip: mark_[line] = most_distant - 1; break;
    case Policy::lip: insert_last(first, end, line); break;
    case Policy::bip:
      if (random_.below(bip_period) == 0) {
        age_[line] = ++now_;
      } else {
        insert_last(first, end, line);
      }
      break;
    default: use(set, first, end, line);
  }
}

std::uint32_t Replacement::oldest(std::uint32_t first, std::uint32_t end) const {
  std::uint32_t oldest = first;
  for (std::uint32_t line = first + 1; line < end; ++line) {
    if (age_[line] < age_[oldest]) oldest = line;
  }
  return oldest;
}

std::uint32_t Replacement::oldest_unprotected(std::uint32_t first, std::uint32_t end) const {
  std::uint32_t found = end;
  for (std::uint32_t line = first; line < end; ++line) {
    if (mark_[line] != is_protected && (found == end || age_[line] < age_[found])) found = line;
  }
  return found == end ? oldest(first, end) : found;
}

void Replacement::protect(std::uint32_t first, std::uint32_t end, std::uint32_t line) {
  age_[line] = ++now_;
  if (mark_[line] == is_protected) return;
  int segment = 0;
  std::uint32_t last = end;
  for (std::uint32_t other = first; other < end; ++other) {
    if (mark_[other] != is_protected) continue;
    ++segment;
    if (last == end || age_[other] < age_[last]) last = other;
  }
  if (segment >= protected_ways_) {
    mark_[last] = 0;
    age_[last] = ++now_;
    age_[line] = ++now_;
  }
  mark_[line] = is_protected;
}

std::uint32_t Replacement::weighted_way() {
  double rest = random_.uniform();
  for (std::uint32_t way = 0; way + 1 < way_weights_.size(); ++way) {
    rest -= way_weights_[way];
    if (rest < 0) return way;
  }
  return static_cast<std::uint32_t>(way_weights_.size() - 1);
}

// The tree halves the ways, the left half being the larger one. Node n has the children 2n and 2n + 1; its bit is set
// if the victim is in the right half.
void Replacement::point_away(std::uint32_t set, std::uint32_t ways, std::uint32_t way) {
  std::uint64_t& tree = set_state_[set];
  std::uint32_t low = 0;
  std::uint32_t node = 1;
  while (ways > 1) {
    const std::uint32_t left = (ways + 1) / 2;
    const bool in_left = way - low < left;
    const std::uint64_t bit = std::uint64_t{1} << node;
    tree = in_left ? tree | bit : tree & ~bit;
    low += in_left ? 0 : left;
    ways = in_left ? left : ways - left;
    node = 2 * node + (in_left ? 0 : 1);
  }
}

std::uint32_t Replacement::follow_tree(std::uint32_t set, std::uint32_t ways) const {
  std::uint32_t low = 0;
  std::uint32_t node = 1;
  while (ways > 1) {
    const std::uint32_t left = (ways + 1) / 2;
    const bool to_right = ((set_state_[set] >> node) & 1) != 0;
    low += to_right ? left : 0;
    ways = to_right ? ways - left : left;
    node = 2 * node + (to_right ? 1 : 0);
  }
  return low;
}

void Replacement::mark_used(std::uint32_t first, std::uint32_t end, std::uint32_t line) {
  mark_[line] = 1;
  if (std::find(mark_.begin() + first, mark_.begin() + end, 0) != mark_.begin() + end) return;
  std::fill(mark_.begin() + first, mark_.begin() + end, std::uint8_t{0});
  mark_[line] = 1;
}

std::uint32_t Replacement::first_unmarked(std::uint32_t first, std::uint32_t end) {
  const auto found = std::find(mark_.begin() + first, mark_.begin() + end, 0);
  return found == mark_.begin() + end ? first : static_cast<std::uint32_t>(found - mark_.begin());
}

std::uint32_t Replacement::not_recent(std::uint32_t set, std::uint32_t first, std::uint32_t end) {
  if (std::find(mark_.begin() + first, mark_.begin() + end, 0) == mark_.begin() + end) {
    std::fill(mark_.begin() + first, mark_.begin() + end, std::uint8_t{0});
  }
  return second_chance(set, first, end);
}

std::uint32_t Replacement::second_chance(std::uint32_t set, std::uint32_t first, std::uint32_t end) {
  const std::uint32_t ways = end - first;
  const bool clears = policy_ == Policy::clock;
  for (;;) {
    const auto line = first + static_cast<std::uint32_t>(set_state_[set] % ways);
    set_state_[set] = (set_state_[set] + 1) % ways;
    if (mark_[line] == 0) return line;
    if (clears) mark_[line] = 0;
  }
}

std::uint32_t Replacement::distant(std::uint32_t first, std::uint32_t end) {
  for (;;) {
    for (std::uint32_t line = first; line < end; ++line) {
      if (mark_[line] >= most_distant) return line;
    }
    for (std::uint32_t line = first; line < end; ++line) ++mark_[line];
  }
}

void Replacement::insert_last(std::uint32_t first, std::uint32_t end, std::uint32_t line) {
  std::uint64_t least = now_;
  for (std::uint32_t other = first; other < end; ++other) {
    if (other != line) least = std::min(least, age_[other]);
  }
  age_[line] = least > 0 ? least - 1 : 0;
}

}  // namespace independent
