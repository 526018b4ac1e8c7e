#include "analysis_l15.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <random>
#include <set>

namespace tomograph::constant_cache {

CandidateLines::CandidateLines(const ConstantSpace& space, std::int64_t blocks_per_line, std::int64_t held_blocks)
    : space_(space), blocks_per_line_(blocks_per_line), per_array_(space.blocks_per_array / blocks_per_line) {
  const std::int64_t held = std::max<std::int64_t>(1, held_blocks / blocks_per_line);
  overflowing_ = std::min(per_array_ * space.arrays, held + (held + 1) / 2);
  // Of a level that holds a sixteenth of the lines, two given lines are in one of 256 parts together: 10,240 parts.
  constexpr std::int64_t most = 16;
  count_ = std::min(std::clamp(2 * held, per_array_, per_array_ * space.arrays), most * held);
  // The level before might hold the few lines of an array that is used for less than an eighth.
  const std::int64_t rest = count_ % per_array_;
  if (count_ > per_array_ && rest * 8 < per_array_) count_ -= rest;
  keep_ = static_cast<double>(held) / static_cast<double>(count_);
}

bool CandidateLines::suffice() const {
  // With fewer than 1.18 times as many lines as the level holds, some sets have no more lines than ways. Chosen by
  // hand.
  constexpr double most_kept = 0.85;
  return keep_ < most_kept;
}

std::size_t CandidateLines::number_of(std::int64_t block) const {
  const std::int64_t array = block / space_.blocks_per_array;
  return static_cast<std::size_t>(array * per_array_ + block % space_.blocks_per_array / blocks_per_line_);
}

std::int64_t CandidateLines::bytes_of_array() const { return std::min(count_, per_array_) * bytes(); }

std::uint64_t CandidateLines::array_of(std::size_t line) const {
  return static_cast<std::uint64_t>(line) / static_cast<std::uint64_t>(per_array_);
}

std::uint64_t CandidateLines::offset_of(std::size_t line) const {
  return static_cast<std::uint64_t>(line) % static_cast<std::uint64_t>(per_array_) *
         static_cast<std::uint64_t>(bytes());
}

std::vector<std::vector<std::int64_t>> CandidateLines::parts(std::uint64_t seed) const {
  // Two lines of different sets, which agree in half of the walks, agree in all of 40 once in 1e12 pairs.
  constexpr double together = 40;
  const auto wanted = static_cast<std::size_t>(std::ceil(together / (keep_ * keep_)));
  std::mt19937_64 random(seed);
  // Sets with fewer lines than others, at the end of arrays, overflow now and then only in larger parts.
  constexpr double larger = 1.2;
  constexpr double nearly_all = 0.95;
  std::vector<std::vector<std::int64_t>> parts(wanted);
  for (std::size_t part = 0; part < wanted; ++part) {
    auto& blocks = parts[part];
    const double kept_share = part % 2 == 0 ? keep_ : std::max(keep_, std::min(larger * keep_, nearly_all));
    const auto limit = static_cast<std::uint64_t>(kept_share * static_cast<double>(std::mt19937_64::max()));
    // Of few lines, now and then none is drawn.
    while (blocks.empty()) {
      for (std::int64_t line = 0; line < count_; ++line) {
        const bool kept = random() < limit;
        const std::uint64_t place = random();
        if (kept) add(blocks, line, blocks_loaded(), place);
      }
    }
  }
  return parts;
}

std::vector<std::int64_t> CandidateLines::one_of_each_pair(std::uint64_t seed) const {
  std::mt19937_64 random(seed);
  std::vector<std::int64_t> blocks;
  for (std::int64_t pair = 0; pair + 1 < overflowing_; pair += 2) {
    if (pair % per_array_ + 1 >= per_array_) continue;
    add(blocks, pair + static_cast<std::int64_t>(random() % 2), blocks_per_line_, 0);
  }
  return blocks;
}

std::int64_t CandidateLines::blocks_loaded() const {
  const double lines = keep_ * static_cast<double>(count_);
  if (lines >= static_cast<double>(overflow_factor * space_.lines_before)) return 1;
  const std::int64_t half_line = bytes() / 2;
  const double half = lines * static_cast<double>(half_line);
  const bool overflows = half >= static_cast<double>(overflow_factor * space_.bytes_before);
  return overflows ? std::max<std::int64_t>(1, blocks_per_line_ / 2) : blocks_per_line_;
}

void CandidateLines::add(std::vector<std::int64_t>& blocks, std::int64_t line, std::int64_t loaded,
                         std::uint64_t place) const {
  const auto places = static_cast<std::uint64_t>(blocks_per_line_ / loaded);
  const std::int64_t first = line / per_array_ * space_.blocks_per_array + line % per_array_ * blocks_per_line_ +
                             static_cast<std::int64_t>(place % places) * loaded;
  for (std::int64_t i = 0; i < loaded; ++i) blocks.push_back(first + i);
}

bool mostly_held(const FootprintWalk& walk) {
  // Next to nothing misses of lines that fit, nearly everything of twice as many. Between the two: chosen by
  // hand.
  constexpr double most_missing = 0.6;
  return static_cast<double>(walk.missing()) < most_missing * static_cast<double>(walk.states.size());
}

bool Attempt::explained() const { return contradictions() <= misread; }

bool Attempt::half_explained() const {
  // Lines of a wrong length contradict far more of the outcomes. Chosen by hand.
  constexpr double most_contradictions = 0.1;
  return contradictions() <= most_contradictions;
}

namespace {

/// The index that all lines of one array and one group have in common, without the ways of sets.
std::optional<cache::Sets> common_index(const CandidateLines& lines, const SetMap& map) {
  std::map<std::pair<std::size_t, std::uint64_t>, std::uint64_t> first;
  std::vector<std::uint64_t> differences;
  std::uint64_t reached = 0;
  for (std::size_t line = 0; line < map.set_of.size(); ++line) {
    const std::uint64_t offset = lines.offset_of(line);
    reached = std::max(reached, offset);
    const auto [entry, is_new] = first.try_emplace({map.set_of[line], lines.array_of(line)}, offset);
    if (!is_new) differences.push_back(entry->second ^ offset);
  }
  if (differences.empty()) return std::nullopt;
  const std::uint64_t varied = (std::bit_ceil(reached + 1) - 1) & ~static_cast<std::uint64_t>(lines.bytes() - 1);
  return cache::Sets{.index = analysis::recover_index(differences, varied),
                     .set_ways = {},
                     .differences = differences.size(),
                     .confirming = differences.size()};
}

std::uint64_t set_number(const analysis::LinearIndex& index, std::uint64_t offset) {
  std::uint64_t number = 0;
  for (const std::uint64_t mask : index.masks) {
    number = number << 1U | static_cast<std::uint64_t>(std::popcount(offset & mask) & 1);
  }
  return number;
}

/// The groups of `joined` that lines of each array belong to.
std::map<std::uint64_t, std::set<std::size_t>> groups_by_array(const CandidateLines& lines, const SetMap& map,
                                                               const std::vector<std::size_t>& joined) {
  std::map<std::uint64_t, std::set<std::size_t>> groups;
  for (std::size_t line = 0; line < map.set_of.size(); ++line) {
    groups[lines.array_of(line)].insert(joined[map.set_of[line]]);
  }
  return groups;
}

/// Each array has lines in all sets. So where two arrays have all groups in common but one of each, these two groups
/// are one set.
void join_across_arrays(const CandidateLines& lines, const SetMap& map, std::vector<std::size_t>& joined) {
  const auto groups = groups_by_array(lines, map, joined);
  const std::set<std::size_t>& first = groups.begin()->second;
  for (const auto& [array, others] : groups) {
    std::vector<std::size_t> here;
    std::vector<std::size_t> there;
    std::ranges::set_difference(first, others, std::back_inserter(here));
    std::ranges::set_difference(others, first, std::back_inserter(there));
    if (here.size() != 1 || there.size() != 1) continue;
    std::ranges::replace(joined, std::max(here[0], there[0]), std::min(here[0], there[0]));
    return;
  }
}

/// A set may fall apart into two groups where instructions of the kernel take several of its ways. Lines of one array
/// with one index belong to one set. The map as it was if that makes another number of sets than the index has.
SetMap without_splits(const CandidateLines& lines, std::span<const Walk> walks, SetMap map) {
  const auto index = common_index(lines, map);
  if (!index || std::size_t{1} << index->index.bits() >= map.ways.size()) return map;
  std::vector<std::size_t> joined(map.ways.size());
  std::iota(joined.begin(), joined.end(), std::size_t{0});
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> group_at;
  for (std::size_t line = 0; line < map.set_of.size(); ++line) {
    const std::size_t group = joined[map.set_of[line]];
    const auto place = std::pair{lines.array_of(line), set_number(index->index, lines.offset_of(line))};
    const std::size_t other = joined[group_at.try_emplace(place, group).first->second];
    std::ranges::replace(joined, std::max(group, other), std::min(group, other));
  }
  join_across_arrays(lines, map, joined);
  std::vector<std::size_t> set_of = map.set_of;
  std::map<std::size_t, std::size_t> number;
  for (std::size_t& set : set_of) set = number.try_emplace(joined[set], number.size()).first->second;
  if (number.size() != std::size_t{1} << index->index.bits()) return map;
  return map_of_sets(walks, std::move(set_of));
}

}  // namespace

Attempt attempt_of(const CandidateLines& lines, std::span<const std::vector<std::int64_t>> parts,
                   std::span<const FootprintWalk> footprint_walks) {
  Attempt made{.lines = lines, .map = std::nullopt};
  std::vector<Walk> walks;
  double missing = 0;
  double walked = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Walk walk(static_cast<std::size_t>(made.lines.count()), LineState::absent);
    for (std::size_t j = 0; j < parts[i].size(); ++j) {
      auto& state = walk[made.lines.number_of(parts[i][j])];
      state = std::max(state, footprint_walks[i].states[j]);
    }
    missing += static_cast<double>(std::ranges::count(walk, LineState::missing));
    walked += static_cast<double>(std::ssize(walk) - std::ranges::count(walk, LineState::absent));
    walks.push_back(std::move(walk));
  }
  made.missing = missing / walked;
  made.map = map_sets(walks);
  if (made.map) made.map = without_splits(lines, walks, std::move(*made.map));
  if (made.map && !made.map->code_may_fill_sets_without_ways()) made.map.reset();
  return made;
}

std::int64_t Ways::lines() const { return std::accumulate(of_set.begin(), of_set.end(), std::int64_t{0}); }

Ways ways_of(const SetMap& map) {
  std::map<std::size_t, std::size_t> counts;
  for (const std::size_t ways : map.ways) ++counts[ways];
  const auto [usual, sets] = *std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
  Ways result;
  std::size_t lines = 0;
  for (std::size_t set = 0; set < map.ways.size(); ++set) {
    result.of_set.push_back(static_cast<std::int64_t>(map.ways[set]));
    lines += map.ways[set];
    if (map.ways[set] < usual) ++result.disturbed;
    if (map.ways[set] == usual && !map.overflow_seen[set]) result.overflow_seen = false;
  }
  const std::size_t all = usual * map.ways.size();
  const bool few = counts.rbegin()->first == usual && lines < all && (all - lines) * largest_code <= all;
  if (few) {
    result.of_set.assign(map.ways.size(), static_cast<std::int64_t>(usual));
  } else if (counts.size() > 1) {
    result.disturbed = 0;
  }
  return result;
}

std::optional<cache::Sets> index_of(const Attempt& found, const Ways& ways) {
  auto index = common_index(found.lines, *found.map);
  if (!index || std::size_t{1} << index->index.bits() != found.map->ways.size()) return std::nullopt;
  index->set_ways = ways.of_set;
  return index;
}

}  // namespace tomograph::constant_cache
