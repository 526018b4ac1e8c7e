#include <map>

#include "analysis_l15.hpp"
#include "catch.hpp"

namespace {

using namespace tomograph;
using namespace tomograph::constant_cache;

constexpr std::size_t sets = 32;

/// A level of 32 sets of lines of 64 B, 8 ways each but for `disturbed` sets, which have 7.
struct MadeUpLevel {
  ConstantSpace space{.block_bytes = 64, .blocks_per_array = 512, .arrays = 1};
  std::size_t disturbed = 0;
  std::int64_t hashed_bit = 0;  ///< of a block's number, which changes the lowest bit of its set
  std::size_t split = sets;     ///< a set of which every other line misses as if it had 6 ways
  /// A set of which all lines but those of the first array miss as if it had 6 ways.
  std::size_t split_by_array = sets;

  [[nodiscard]] std::size_t ways(std::size_t set) const { return set < disturbed ? 7 : 8; }

  [[nodiscard]] FootprintWalk walk(const std::vector<std::int64_t>& blocks) const {
    std::map<std::size_t, std::size_t> lines;
    for (const std::int64_t block : blocks) ++lines[set_of(block)];
    FootprintWalk seen;
    for (const std::int64_t block : blocks) {
      const std::size_t set = set_of(block);
      const bool is_other = (set == split && block / static_cast<std::int64_t>(sets) % 2 == 1) ||
                            (set == split_by_array && block >= space.blocks_per_array);
      const std::size_t own = is_other ? 6 : ways(set);
      seen.states.push_back(lines[set] > own ? LineState::missing : LineState::held);
    }
    return seen;
  }

  [[nodiscard]] Attempt attempt(std::int64_t blocks_per_line) const {
    const CandidateLines lines(space, blocks_per_line, 256);
    const auto parts = lines.parts(1);
    std::vector<FootprintWalk> walks;
    for (const auto& blocks : parts) walks.push_back(walk(blocks));
    return attempt_of(lines, parts, walks);
  }

  [[nodiscard]] std::size_t set_of(std::int64_t block) const {
    return (static_cast<std::size_t>(block) ^ ((block & hashed_bit) != 0 ? 1U : 0U)) % sets;
  }
};

}  // namespace

TEST_CASE("lines of the true length explain what misses, with the ways and the index of all sets") {
  const Attempt found = MadeUpLevel{}.attempt(1);
  REQUIRE(found.map);
  CHECK(found.explained());
  const Ways ways = ways_of(*found.map);
  CHECK(ways.of_set == std::vector<std::int64_t>(sets, 8));
  CHECK(ways.lines() == 256);
  CHECK(ways.disturbed == 0);
  const auto index = index_of(found, ways);
  REQUIRE(index);
  CHECK(index->index.bits() == 5);
}

TEST_CASE("the index has all bits that an array's offsets have, however little the level holds") {
  MadeUpLevel level;
  level.space.blocks_per_array = 2047;
  level.hashed_bit = 1024;
  const Attempt found = level.attempt(1);
  REQUIRE(found.map);
  const auto index = index_of(found, ways_of(*found.map));
  REQUIRE(index);
  CHECK(index->index.masks == std::vector<std::uint64_t>{0x10040, 0x400, 0x200, 0x100, 0x80});
}

TEST_CASE("a set that falls apart into two groups is one set by its index") {
  MadeUpLevel level;
  level.split = 5;
  const Attempt found = level.attempt(1);
  REQUIRE(found.map);
  CHECK(found.explained());
  const Ways ways = ways_of(*found.map);
  CHECK(ways.of_set == std::vector<std::int64_t>(sets, 8));
  const auto index = index_of(found, ways);
  REQUIRE(index);
  CHECK(index->index.bits() == 5);
}

TEST_CASE("a set that falls apart into one group in each array is one set, since arrays have lines in all sets") {
  MadeUpLevel level;
  level.space.blocks_per_array = 128;
  level.space.arrays = 4;
  level.split_by_array = 5;
  const Attempt found = level.attempt(1);
  REQUIRE(found.map);
  CHECK(found.explained());
  const Ways ways = ways_of(*found.map);
  CHECK(ways.of_set == std::vector<std::int64_t>(sets, 8));
  const auto index = index_of(found, ways);
  REQUIRE(index);
  CHECK(index->index.bits() == 5);
}

TEST_CASE("lines of twice the true length do not explain what misses") {
  CHECK_FALSE(MadeUpLevel{}.attempt(2).half_explained());
}

TEST_CASE("a level of few lines takes no more than 16 times as many") {
  ConstantSpace space = MadeUpLevel{}.space;
  space.blocks_per_array = 1020;
  const CandidateLines lines(space, 1, 9);
  CHECK(lines.count() == 144);
  CHECK(lines.bytes_of_array() == 144 * 64);
  CHECK(lines.parts(1).size() <= 10'240);
}

TEST_CASE("every part of a level of few lines has lines") {
  ConstantSpace space = MadeUpLevel{}.space;
  space.blocks_per_array = 1020;
  for (const auto& blocks : CandidateLines(space, 1, 4).parts(1)) REQUIRE(!blocks.empty());
}

TEST_CASE("a few sets that hold code as well count with the ways of the others") {
  MadeUpLevel level;
  level.disturbed = 2;
  const Ways ways = ways_of(*level.attempt(1).map);
  CHECK(ways.of_set == std::vector<std::int64_t>(sets, 8));
  CHECK(ways.disturbed == 2);
}

TEST_CASE("sets of two kinds keep their ways where code cannot explain the difference") {
  SetMap map;
  map.ways = {8, 8, 8, 4, 4};
  map.overflow_seen.assign(5, true);
  const Ways ways = ways_of(map);
  CHECK(ways.of_set == std::vector<std::int64_t>{8, 8, 8, 4, 4});
  CHECK(ways.disturbed == 0);
}

TEST_CASE("one line of each pair overflows the level only if lines are twice as long") {
  const CandidateLines lines(MadeUpLevel{}.space, 1, 256);
  const auto blocks = lines.one_of_each_pair(1);
  CHECK(std::ssize(blocks) == 3 * 256 / 2 / 2);  // of half as many lines again as it holds
  CHECK(mostly_held({std::vector(100, LineState::held), {}}));
  CHECK_FALSE(mostly_held({std::vector(100, LineState::missing), {}}));
}

TEST_CASE("too few constants to overflow every set are told beforehand") {
  CHECK(CandidateLines(MadeUpLevel{}.space, 1, 256).suffice());
  CHECK_FALSE(CandidateLines(MadeUpLevel{}.space, 1, 500).suffice());
}

TEST_CASE("a block misses if both walks or the only one that reached the level missed") {
  cache::Subject subject;
  subject.threshold.cycles = 100;
  subject.before = 40;
  // Two walks over four blocks: held twice, missing twice, missing once and held once, missing once and unseen once.
  const auto walk = walk_of(subject, 4, {60, 200, 200, 200, 60, 200, 60, 30});
  CHECK(walk.states == std::vector{LineState::held, LineState::missing, LineState::held, LineState::missing});
  CHECK(walk.missing() == 2);
}

TEST_CASE("a lower bound counts what the level served in one walk, not what the level before it held") {
  cache::Subject subject;
  subject.threshold.cycles = 100;
  subject.before = 40;
  // Five blocks: held twice, held in the first walk, held in the second, and two that the level before served.
  const auto walk = walk_of(subject, 5, {60, 60, 200, 30, 30, 60, 200, 60, 30, 30});
  CHECK(walk.missing() == 0);
  CHECK(walk.held_at_once == 2);
}

TEST_CASE("a footprint with few blocks is loaded in steps of what the level before fetches") {
  ConstantSpace space{.block_bytes = 256, .blocks_per_array = 64, .lines_before = 8, .fetched_before = 64};
  CHECK(space.spacing(16) == 64);
  CHECK(space.spacing(32) == 256);
}
