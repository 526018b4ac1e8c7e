#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <random>

#include "footprint.hpp"
#include "questions.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/proportion.hpp"

namespace tomograph::constant_cache {

namespace {

constexpr std::array unknown_without_overflow{"line_size", "size", "sets", "ways", "set_ways", "index"};

/// Share of contradictions up to which sets are taken for found, and up to which they may be.
constexpr double explained = 0.03;
constexpr double half_explained = 0.1;

Space space_of(const Session& session, const cache::Subject& subject) {
  Space space;
  space.block_bytes = session.needed<std::int64_t>("constant_l15.fetch_granularity");
  space.blocks_per_array = subject.largest / space.block_bytes;
  space.arrays = arrays_together(cache::executor(session), subject);
  const auto size = session.fact<std::int64_t>("constant_l1.size");
  const auto line = session.fact<std::int64_t>("constant_l1.line_size");
  space.fetched_before = session.fact<std::int64_t>("constant_l1.fetch_granularity").value_or(0);
  if (size && line) {
    space.bytes_before = *size;
    space.lines_before = *size / *line;
  }
  return space;
}

/// What the level is known to hold, and the smallest footprint that it does not, or 0 if none was found. In blocks.
struct Bound {
  std::int64_t held = 0;
  std::int64_t beyond = 0;
  std::vector<double> latencies;  ///< of what is held
};

/// Contiguous footprints are bisected. What the kernels' own instructions and parameters take of the level makes the
/// bound lower, never higher.
Bound find_bound(const Session& session, const cache::Subject& subject, const Space& space) {
  Bound bound;
  for (std::int64_t next = space.blocks(); next > bound.held;) {
    auto footprint = first_blocks(next);
    Visit seen = visit(cache::executor(session), subject, space, {&footprint, 1}).front();
    if (seen.missing() == 0) {
      bound.held = next;
      bound.latencies = std::move(seen.latencies);
    } else {
      bound.beyond = next;
    }
    if (bound.beyond == 0) break;
    next = (bound.held + bound.beyond) / 2;
  }
  return bound;
}

/// The constants as lines of one length, half as many again as the level holds, or as many as there are.
class Lines {
 public:
  Lines(const Space& space, std::int64_t blocks_per_line, std::int64_t held_blocks)
      : space_(space), blocks_per_line_(blocks_per_line), per_array_(space.blocks_per_array / blocks_per_line) {
    const std::int64_t held = std::max<std::int64_t>(1, held_blocks / blocks_per_line);
    count_ = std::min(per_array_ * space.arrays, held + (held + 1) / 2);
    // A few lines in an array of their own might stay in the level before.
    const std::int64_t rest = count_ % per_array_;
    if (count_ > per_array_ && rest * 8 < per_array_) count_ -= rest;
    keep_ = static_cast<double>(held) / static_cast<double>(count_);
  }

  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] std::int64_t blocks_per_line() const { return blocks_per_line_; }
  [[nodiscard]] std::int64_t bytes() const { return blocks_per_line_ * space_.block_bytes; }
  [[nodiscard]] bool loaded_whole() const { return blocks_loaded() == blocks_per_line_; }
  /// Whether there are enough for every set to overflow now and then.
  [[nodiscard]] bool suffice() const { return keep_ < 0.85; }
  /// The line of a block.
  [[nodiscard]] std::size_t number_of(std::int64_t block) const {
    const std::int64_t array = block / space_.blocks_per_array;
    return static_cast<std::size_t>(array * per_array_ + block % space_.blocks_per_array / blocks_per_line_);
  }
  [[nodiscard]] std::uint64_t array_of(std::size_t line) const {
    return static_cast<std::uint64_t>(line) / static_cast<std::uint64_t>(per_array_);
  }
  [[nodiscard]] std::uint64_t offset_of(std::size_t line) const {
    return static_cast<std::uint64_t>(line) % static_cast<std::uint64_t>(per_array_) *
           static_cast<std::uint64_t>(bytes());
  }

  /// So many parts that any two lines are often enough in one.
  [[nodiscard]] std::size_t parts_wanted() const {
    constexpr double together = 40;
    return static_cast<std::size_t>(std::ceil(together / (keep_ * keep_)));
  }
  /// Parts with about as many lines as the level holds, and of each line one place at random: with shorter lines than
  /// these the places of a set would be other ones each time.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> parts(std::uint64_t seed) const {
    std::mt19937_64 random(seed);
    const auto limit = static_cast<std::uint64_t>(keep_ * static_cast<double>(std::mt19937_64::max()));
    std::vector<std::vector<std::int64_t>> parts(parts_wanted());
    for (auto& blocks : parts) {
      for (std::int64_t line = 0; line < count_; ++line) {
        const bool kept = random() < limit;
        const std::uint64_t place = random();
        if (kept) add(blocks, line, blocks_loaded(), place);
      }
    }
    return parts;
  }

  /// Of every second line, half the lines at random: if lines are that long, too few to overflow the level; if lines
  /// are twice as long or more, as many lines as all of these.
  [[nodiscard]] std::vector<std::int64_t> every_second(std::uint64_t seed) const {
    std::mt19937_64 random(seed);
    std::vector<std::int64_t> blocks;
    for (std::int64_t pair = 0; pair + 1 < count_; pair += 2) {
      if (pair % per_array_ + 1 >= per_array_) continue;
      add(blocks, pair + static_cast<std::int64_t>(random() % 2), blocks_per_line_, 0);
    }
    return blocks;
  }

 private:
  /// One block of a line; half the line or all of it where the level before might hold what is loaded.
  [[nodiscard]] std::int64_t blocks_loaded() const {
    const double lines = keep_ * static_cast<double>(count_);
    if (lines >= static_cast<double>(out_of_reach * space_.lines_before)) return 1;
    const double half = lines * static_cast<double>(bytes() / 2);
    const bool out = half >= static_cast<double>(out_of_reach * space_.bytes_before);
    return out ? std::max<std::int64_t>(1, blocks_per_line_ / 2) : blocks_per_line_;
  }
  void add(std::vector<std::int64_t>& blocks, std::int64_t line, std::int64_t loaded, std::uint64_t place) const {
    const auto places = static_cast<std::uint64_t>(blocks_per_line_ / loaded);
    const std::int64_t first = line / per_array_ * space_.blocks_per_array + line % per_array_ * blocks_per_line_ +
                               static_cast<std::int64_t>(place % places) * loaded;
    for (std::int64_t i = 0; i < loaded; ++i) blocks.push_back(first + i);
  }

  Space space_;
  std::int64_t blocks_per_line_;
  std::int64_t per_array_;
  std::int64_t count_ = 0;
  double keep_ = 1;
};

/// What walks with one length of a line showed.
struct Attempt {
  Lines lines;
  std::optional<analysis::SetMap> map;
  double missing = 1;     ///< share of the lines walked
  bool doubtful = false;  ///< lines of half the length were not ruled out

  [[nodiscard]] double contradictions() const { return map ? map->contradictions : 1; }
};

Attempt attempt(const Session& session, const cache::Subject& subject, const Space& space, const Bound& bound,
                std::int64_t blocks_per_line) {
  Attempt made{.lines = Lines(space, blocks_per_line, bound.held), .map = std::nullopt};
  const auto parts = made.lines.parts(1);
  const auto visits = visit(cache::executor(session), subject, space, parts);
  std::vector<analysis::Walk> walks;
  double missing = 0;
  double walked = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    analysis::Walk walk(static_cast<std::size_t>(made.lines.count()), analysis::Fate::absent);
    for (std::size_t j = 0; j < parts[i].size(); ++j) {
      auto& fate = walk[made.lines.number_of(parts[i][j])];
      fate = std::max(fate, visits[i].fates[j]);
    }
    missing += static_cast<double>(std::ranges::count(walk, analysis::Fate::missing));
    walked += static_cast<double>(std::ssize(walk) - std::ranges::count(walk, analysis::Fate::absent));
    walks.push_back(std::move(walk));
  }
  made.missing = missing / walked;
  made.map = analysis::map_sets(walks);
  return made;
}

/// Lines are at least as long as what a miss brings. The first guess is the shortest length of which every second line
/// by itself does not overflow the level.
std::int64_t likely_length(const Session& session, const cache::Subject& subject, const Space& space,
                           const Bound& bound, std::span<const std::int64_t> lengths) {
  constexpr double most = 0.6;
  for (const std::int64_t length : lengths) {
    const Lines lines(space, length, bound.held);
    const std::array footprint{lines.every_second(1)};
    const auto seen = visit(cache::executor(session), subject, space, footprint).front();
    if (static_cast<double>(seen.missing()) < most * static_cast<double>(seen.fates.size())) return length;
  }
  return lengths.back();
}

/// The length with which the number of a set's lines decides whether it misses.
Attempt find_sets(const Session& session, const cache::Subject& subject, const Space& space, const Bound& bound) {
  constexpr std::int64_t longest = 512;
  std::vector<std::int64_t> lengths;
  for (std::int64_t length = 1; length * space.block_bytes <= std::max(longest, space.block_bytes); length *= 2) {
    lengths.push_back(length);
  }
  const auto with_length = [&](std::int64_t length) { return attempt(session, subject, space, bound, length); };
  const std::int64_t likely = likely_length(session, subject, space, bound, lengths);
  Attempt best = with_length(likely);
  for (const std::int64_t length : {2 * likely, likely / 2}) {
    if (best.contradictions() < explained || length < lengths.front() || length > lengths.back()) continue;
    Attempt other = with_length(length);
    if (other.contradictions() < best.contradictions()) best = std::move(other);
  }
  // Loaded as a whole, lines of twice the length look the same: one of each of two sets. With lines of half the length
  // nearly everything would miss.
  constexpr double nearly = 0.75;
  while (best.map && best.lines.loaded_whole() && best.lines.blocks_per_line() > 1) {
    Attempt half = with_length(best.lines.blocks_per_line() / 2);
    if (half.contradictions() > half_explained) {
      best.doubtful = half.missing < nearly;
      break;
    }
    best = std::move(half);
  }
  return best;
}

/// Sets in which the kernel's own instructions lie have fewer ways left. They are few: the ways of most sets are those
/// of all, if what is missing elsewhere is no more than code can be.
struct Ways {
  std::vector<std::int64_t> of_set;
  std::int64_t disturbed = 0;  ///< sets with fewer ways than most
  bool sharp = true;

  [[nodiscard]] std::int64_t lines() const {
    std::int64_t sum = 0;
    for (const std::int64_t ways : of_set) sum += ways;
    return sum;
  }
};

Ways ways_of(const analysis::SetMap& map) {
  std::map<std::size_t, std::size_t> counts;
  for (const std::size_t ways : map.ways) ++counts[ways];
  const auto [usual, sets] = *std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
  Ways result;
  std::size_t lines = 0;
  for (std::size_t set = 0; set < map.ways.size(); ++set) {
    result.of_set.push_back(static_cast<std::int64_t>(map.ways[set]));
    lines += map.ways[set];
    if (map.ways[set] < usual) ++result.disturbed;
    if (map.ways[set] == usual && !map.sharp[set]) result.sharp = false;
  }
  const std::size_t all = usual * map.ways.size();
  const bool few = counts.rbegin()->first == usual && lines < all && (all - lines) * 16 <= all;
  if (few) {
    result.of_set.assign(map.ways.size(), static_cast<std::int64_t>(usual));
  } else if (counts.size() > 1) {
    result.disturbed = 0;
  }
  return result;
}

/// The index on offsets within an array, from pairs of lines of one array and one set. Nothing if it makes other sets
/// than were seen.
std::optional<cache::Sets> index_of(const Attempt& found, const Ways& ways) {
  std::map<std::pair<std::size_t, std::uint64_t>, std::uint64_t> first;
  std::vector<std::uint64_t> differences;
  std::uint64_t reached = 0;
  for (std::size_t line = 0; line < found.map->set_of.size(); ++line) {
    const std::uint64_t offset = found.lines.offset_of(line);
    reached = std::max(reached, offset);
    const auto [entry, is_new] = first.try_emplace({found.map->set_of[line], found.lines.array_of(line)}, offset);
    if (!is_new) differences.push_back(entry->second ^ offset);
  }
  if (differences.empty()) return std::nullopt;
  const std::uint64_t varied = (std::bit_ceil(reached + 1) - 1) & ~static_cast<std::uint64_t>(found.lines.bytes() - 1);
  cache::Sets sets{.index = analysis::recover_index(differences, varied),
                   .set_ways = ways.of_set,
                   .differences = differences.size(),
                   .confirming = differences.size()};
  if (std::size_t{1} << sets.index.bits() != found.map->ways.size()) return std::nullopt;
  return sets;
}

void keep_evidence(const Session& session, const Attempt& found) {
  std::vector<double> array;
  std::vector<double> offset;
  for (std::size_t line = 0; line < found.map->set_of.size(); ++line) {
    array.push_back(static_cast<double>(found.lines.array_of(line)));
    offset.push_back(static_cast<double>(found.lines.offset_of(line)));
  }
  session.evidence("constant_l15.sets",
                   std::vector{cache::column("array", array), cache::column("offset_B", offset),
                               cache::column("set", {found.map->set_of.begin(), found.map->set_of.end()}),
                               cache::column("ways", {found.map->ways.begin(), found.map->ways.end()})});
}

/// What the lines of a set do not explain takes confidence away, and so do sets that no index makes.
double confidence_of(const Attempt& found, const Ways& ways, bool indexed) {
  if (found.contradictions() > explained || found.doubtful || !ways.sharp || !indexed) {
    return confidence::constant_cache::second_level_doubtful;
  }
  return ways.disturbed == 0 ? confidence::constant_cache::second_level
                             : confidence::constant_cache::second_level_disturbed;
}

void publish(const Session& session, const Attempt& found, std::int64_t first_miss) {
  keep_evidence(session, found);
  const Ways ways = ways_of(*found.map);
  const auto sets = index_of(found, ways);
  Fact fact{.method = "missing-together",
            .confidence = confidence_of(found, ways, sets.has_value()),
            .samples = found.map->outcomes,
            .conditions = {{"first_miss", first_miss},
                           {"contradictions", found.map->contradictions},
                           {"sets_with_code", ways.disturbed}},
            .evidence = "constant_l15.sets"};
  fact.key = "constant_l15.line_size";
  fact.value = found.lines.bytes();
  session.publish(fact);
  fact.key = "constant_l15.size";
  fact.value = ways.lines() * found.lines.bytes();
  session.publish(fact);
  if (sets) return cache::publish_sets(session, l15, *sets, fact);
  for (const char* name : {"sets", "ways", "set_ways", "index"}) {
    session.inconclusive(cache::key(l15, name), "lines that miss together do not follow XORs of address bits");
  }
}

/// Only a bound is known.
void publish_bound(const Session& session, const Space& space, const Bound& bound, const std::string& reason) {
  for (const char* name : unknown_without_overflow) session.inconclusive(cache::key(l15, name), reason);
  if (bound.held == 0) {
    return session.inconclusive("constant_l15.size_at_least", "even the smallest footprint misses now and then");
  }
  session.evidence("constant_l15.size_at_least", std::vector{cache::column("latency_cycles", bound.latencies)});
  session.publish({.key = "constant_l15.size_at_least",
                   .value = bound.held * space.block_bytes,
                   .method = "everything-within-reach",
                   .confidence = confidence::constant_cache::lower_bound,
                   .samples = static_cast<std::uint64_t>(bound.latencies.size()),
                   .conditions = {{"bound", "lower"}, {"misses_at", bound.beyond * space.block_bytes}},
                   .evidence = "constant_l15.size_at_least"});
}

}  // namespace

void find_l15_organisation(const Session& session) {
  const auto subject = cache::known_subject(session, l15);
  const Space space = space_of(session, subject);
  const Bound bound = find_bound(session, subject, space);
  if (bound.beyond == 0) return publish_bound(session, space, bound, "all constants that a program can load fit");
  if (bound.held == 0 || !Lines(space, 1, bound.held).suffice()) {
    return publish_bound(session, space, bound, "a program cannot load enough constants to overflow every set");
  }
  const Attempt found = find_sets(session, subject, space, bound);
  if (found.contradictions() > half_explained) {
    return publish_bound(session, space, bound, "lines do not go missing set by set");
  }
  session.absent("constant_l15.size_at_least", "the size itself was found");
  publish(session, found, bound.beyond * space.block_bytes);
}

}  // namespace tomograph::constant_cache
