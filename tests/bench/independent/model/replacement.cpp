#include "replacement.hpp"

#include <algorithm>
#include <bit>

namespace independent {

namespace {

constexpr std::uint8_t most_distant = 3;  ///< re-reference interval of a victim (srrip)
constexpr std::uint64_t bip_period = 32;  ///< one new line in so many enters at the front
constexpr std::uint8_t is_protected = 1;  ///< mark of a line in the protected segment
constexpr std::int16_t unused = 0x7fff;   ///< rank of a way that is not in use: above all others

void move_to_back(const Set& set, std::uint32_t way) {
  const std::int16_t old = set.rank(way);
  for (EightWays& eight : set.eights) {
    const auto ranks = std::bit_cast<Ranks>(eight.ranks);
    eight.ranks = std::bit_cast<decltype(eight.ranks)>(ranks + ((ranks > old) & (ranks != unused)));
  }
  set.rank(way) = static_cast<std::int16_t>(set.ways - 1);
}

/// The first way without a mark, or the number of ways.
std::uint32_t first_unmarked(const Set& set) {
  std::uint32_t first = 0;
  for (const EightWays& eight : set.eights) {
    const std::uint64_t unmarked = equal_bytes(eight.marks, 0);
    if (unmarked != 0) return std::min(first + first_byte(unmarked), set.ways);
    first += 8;
  }
  return set.ways;
}

void clear_marks(const Set& set) {
  for (EightWays& eight : set.eights) eight.marks = {};
}

void mark_used(const Set& set, std::uint32_t way) {
  set.mark(way) = 1;
  if (first_unmarked(set) < set.ways) return;
  clear_marks(set);
  set.mark(way) = 1;
}

std::uint32_t distant(const Set& set) {
  for (;;) {
    for (std::uint32_t way = 0; way < set.ways; ++way) {
      if (set.mark(way) >= most_distant) return way;
    }
    for (std::uint32_t way = 0; way < set.ways; ++way) ++set.mark(way);
  }
}

// The tree halves the ways, the left half being the larger one. Node n has the children 2n and 2n + 1; its bit is set
// if the victim is in the right half. A tree of more than 64 ways has more nodes than bits: nodes share the bits, and
// the lower node on the path wins.
std::uint64_t bit_of(std::uint32_t node) { return std::uint64_t{1} << (node % 64); }

TreePath tree_path(std::uint32_t ways, std::uint32_t way) {
  TreePath path;
  std::uint32_t node = 1;
  while (ways > 1) {
    const std::uint32_t left = (ways + 1) / 2;
    const bool in_left = way < left;
    path.nodes |= bit_of(node);
    path.bits = in_left ? path.bits | bit_of(node) : path.bits & ~bit_of(node);
    way -= in_left ? 0 : left;
    ways = in_left ? left : ways - left;
    node = 2 * node + (in_left ? 0 : 1);
  }
  return path;
}

/// The paths of all ways of each set that differs from others in its number of ways.
std::vector<std::vector<TreePath>> tree_paths(const CacheDescription& description) {
  std::vector<std::vector<TreePath>> paths;
  if (description.policy != Policy::tree_plru) return paths;
  paths.resize(static_cast<std::size_t>(*std::max_element(description.set_ways.begin(), description.set_ways.end())) +
               1);
  for (const int ways_of_set : description.set_ways) {
    const auto ways = static_cast<std::uint32_t>(ways_of_set);
    for (std::uint32_t way = 0; paths[ways].size() < ways; ++way) paths[ways].push_back(tree_path(ways, way));
  }
  return paths;
}

}  // namespace

Replacement::Replacement(const CacheDescription& description, std::uint64_t seed)
    : policy_(description.policy),
      marks_used_(policy_ == Policy::nru || policy_ == Policy::clock),
      heeds_hits_(policy_ != Policy::fifo && policy_ != Policy::random && policy_ != Policy::way_weighted),
      way_weights_(description.way_weights),
      protected_ways_(description.protected_ways),
      random_(seed),
      set_state_(description.set_ways.size()),
      tree_paths_(tree_paths(description)) {}

void Replacement::begin(const Set& set) {
  clear_marks(set);
  for (std::uint32_t way = 0; way < 8 * set.eights.size(); ++way) {
    set.rank(way) = way < set.ways ? static_cast<std::int16_t>(way) : unused;
  }
}

void Replacement::use_otherwise(const Set& set, std::uint32_t way) {
  switch (policy_) {
    case Policy::lip:
    case Policy::bip: move_to_front(set, way); break;
    case Policy::segmented_lru: protect(set, way); break;
    case Policy::bit_plru: mark_used(set, way); break;
    case Policy::srrip: set.mark(way) = 0; break;
    case Policy::not_last: set_state_[set.number] = way; break;
    default: break;
  }
}

std::uint32_t Replacement::victim_otherwise(const Set& set) {
  switch (policy_) {
    case Policy::lip:
    case Policy::bip: return oldest(set);
    case Policy::way_weighted: return weighted_way();
    case Policy::segmented_lru: return oldest_unprotected(set);
    case Policy::tree_plru: return follow_tree(set);
    case Policy::nru: return not_recent(set);
    case Policy::bit_plru: return first_unmarked(set) % set.ways;
    case Policy::srrip: return distant(set);
    case Policy::clock: return second_chance(set);
    default: return not_last(set);
  }
}

void Replacement::insert_otherwise(const Set& set, std::uint32_t way) {
  switch (policy_) {
    case Policy::segmented_lru:
      move_to_front(set, way);
      set.mark(way) = 0;
      break;
    case Policy::clock: set.mark(way) = 0; break;
    case Policy::srrip: set.mark(way) = most_distant - 1; break;
    case Policy::lip: move_to_back(set, way); break;
    case Policy::bip:
      if (random_.below(bip_period) == 0) {
        move_to_front(set, way);
      } else {
        move_to_back(set, way);
      }
      break;
    default: use(set, way);
  }
}

std::uint32_t Replacement::oldest_unprotected(const Set& set) {
  std::uint32_t found = set.ways;
  for (std::uint32_t way = 0; way < set.ways; ++way) {
    if (set.mark(way) != is_protected && (found == set.ways || set.rank(way) > set.rank(found))) found = way;
  }
  return found == set.ways ? oldest(set) : found;
}

void Replacement::protect(const Set& set, std::uint32_t way) {
  if (set.mark(way) == is_protected) return move_to_front(set, way);
  int segment = 0;
  std::uint32_t last = set.ways;
  for (std::uint32_t other = 0; other < set.ways; ++other) {
    if (set.mark(other) != is_protected) continue;
    ++segment;
    if (last == set.ways || set.rank(other) > set.rank(last)) last = other;
  }
  if (segment >= protected_ways_) {
    set.mark(last) = 0;
    move_to_front(set, last);
  }
  move_to_front(set, way);
  set.mark(way) = is_protected;
}

std::uint32_t Replacement::not_last(const Set& set) {
  if (set.ways == 1) return 0;
  const auto way = static_cast<std::uint32_t>(random_.below(set.ways - 1));
  return way < set_state_[set.number] ? way : way + 1;
}

std::uint32_t Replacement::weighted_way() {
  double rest = random_.uniform();
  for (std::uint32_t way = 0; way + 1 < way_weights_.size(); ++way) {
    rest -= way_weights_[way];
    if (rest < 0) return way;
  }
  return static_cast<std::uint32_t>(way_weights_.size() - 1);
}

std::uint32_t Replacement::follow_tree(const Set& set) const {
  std::uint32_t ways = set.ways;
  std::uint32_t low = 0;
  std::uint32_t node = 1;
  while (ways > 1) {
    const std::uint32_t left = (ways + 1) / 2;
    const bool to_right = (set_state_[set.number] & bit_of(node)) != 0;
    low += to_right ? left : 0;
    ways = to_right ? ways - left : left;
    node = 2 * node + (to_right ? 1 : 0);
  }
  return low;
}

std::uint32_t Replacement::not_recent(const Set& set) {
  if (first_unmarked(set) == set.ways) clear_marks(set);
  return second_chance(set);
}

std::uint32_t Replacement::second_chance(const Set& set) {
  std::uint64_t& hand = set_state_[set.number];
  const bool clears = policy_ == Policy::clock;
  for (;;) {
    const auto way = static_cast<std::uint32_t>(hand) % set.ways;
    hand = way + 1 == set.ways ? 0 : way + 1;
    if (set.mark(way) == 0) return way;
    if (clears) set.mark(way) = 0;
  }
}

}  // namespace independent
