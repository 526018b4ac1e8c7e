#include <algorithm>
#include <map>
#include <random>

#include "analysis_missing_together.hpp"
#include "catch.hpp"

namespace {

using namespace tomograph::constant_cache;

/// Where lines go in a made-up cache.
struct Cache {
  std::size_t lines = 0;
  std::size_t (*set_of)(std::size_t line) = nullptr;
  std::size_t (*ways_of)(std::size_t set) = nullptr;
};

/// Random parts: a set with more lines than ways misses. One state in a hundred is misread. The level before serves one
/// line in ten, which then needs no way.
std::vector<Walk> walks_of(const Cache& cache, double keep, std::size_t count) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<Walk> walks;
  for (std::size_t i = 0; i < count; ++i) {
    Walk walk(cache.lines, LineState::absent);
    std::map<std::size_t, std::size_t> lines_in;
    for (std::size_t line = 0; line < cache.lines; ++line) {
      if (unit(random) >= keep) continue;
      walk[line] = unit(random) < 0.1 ? LineState::unseen : LineState::held;
      if (walk[line] == LineState::held) ++lines_in[cache.set_of(line)];
    }
    for (std::size_t line = 0; line < cache.lines; ++line) {
      if (walk[line] != LineState::held) continue;
      const std::size_t set = cache.set_of(line);
      const bool misread = unit(random) < 0.01;
      if ((lines_in[set] > cache.ways_of(set)) != misread) walk[line] = LineState::missing;
    }
    walks.push_back(std::move(walk));
  }
  return walks;
}

/// Two pieces of memory of 100 lines each, the second of which begins in another set than the first.
std::size_t sixteen_sets(std::size_t line) { return line < 100 ? line % 16 : (line - 100 + 5) % 16; }
std::size_t hashed(std::size_t line) { return (line ^ (line >> 4) * 3) % 16; }
std::size_t eight(std::size_t /*set*/) { return 8; }
std::size_t eight_but_one(std::size_t set) { return set == 3 ? 7 : 8; }
std::size_t eight_but_none_of_one(std::size_t set) { return set == 3 ? 0 : 8; }
std::size_t eight_but_none_of_two(std::size_t set) { return set == 3 || set == 4 ? 0 : 8; }
std::size_t none(std::size_t /*set*/) { return 0; }

/// Walks under LIP: in a set with more lines than ways, the first lines of the walk stay in all ways but one.
std::vector<Walk> walks_that_keep_first_lines(double keep, std::size_t count) {
  auto walks = walks_of({200, sixteen_sets, none}, keep, count);
  for (Walk& walk : walks) {
    std::map<std::size_t, std::size_t> walked;
    std::map<std::size_t, std::size_t> lines_in;
    const auto uses = [](LineState state) { return state == LineState::held || state == LineState::missing; };
    for (std::size_t line = 0; line < walk.size(); ++line) lines_in[sixteen_sets(line)] += uses(walk[line]) ? 1 : 0;
    for (std::size_t line = 0; line < walk.size(); ++line) {
      const std::size_t set = sixteen_sets(line);
      if (!uses(walk[line])) continue;
      walk[line] = lines_in[set] > 8 && ++walked[set] >= 8 ? LineState::missing : LineState::held;
    }
  }
  return walks;
}

}  // namespace

TEST_CASE("sets are those lines that miss together, wherever the pieces of memory lie") {
  const auto map = map_sets(walks_of({200, sixteen_sets, eight}, 0.72, 90));
  REQUIRE(map);
  CHECK(map->ways == std::vector<std::size_t>(16, 8));
  CHECK(map->overflow_seen == std::vector<bool>(16, true));
  CHECK(map->contradictions < 0.02);
  for (std::size_t line = 0; line < 200; ++line) CHECK(map->set_of[line] == sixteen_sets(line));
}

TEST_CASE("sets of a hashed index are told apart as well") {
  const auto map = map_sets(walks_of({192, hashed, eight}, 0.74, 90));
  REQUIRE(map);
  CHECK(map->ways == std::vector<std::size_t>(16, 8));
  for (std::size_t line = 16; line < 192; ++line) CHECK(map->set_of[line] == map->set_of[hashed(line) % 16]);
}

TEST_CASE("a set that has fewer ways than the others shows them") {
  const auto map = map_sets(walks_of({200, sixteen_sets, eight_but_one}, 0.72, 90));
  REQUIRE(map);
  std::vector<std::size_t> ways(16, 8);
  ways[3] = 7;
  CHECK(map->ways == ways);
}

TEST_CASE("one set in sixteen may have all its ways taken by code, more may not") {
  const auto map = map_sets(walks_of({200, sixteen_sets, eight_but_none_of_one}, 0.72, 90));
  REQUIRE(map);
  CHECK(map->ways[3] == 0);
  CHECK(std::ranges::count(map->ways, 8) == 15);
  CHECK_FALSE(map_sets(walks_of({200, sixteen_sets, eight_but_none_of_two}, 0.72, 90)));
}

TEST_CASE("code fills one set in sixteen, also of sets that were found to be one") {
  SetMap map;
  map.ways.assign(16, 4);
  map.ways[0] = 0;
  CHECK(map.code_may_fill_sets_without_ways());
  map.ways.assign(1, 0);
  CHECK_FALSE(map.code_may_fill_sets_without_ways());
}

TEST_CASE("a set that instructions disturb now and then does not contradict the others") {
  auto walks = walks_of({200, sixteen_sets, eight}, 0.72, 90);
  std::mt19937_64 random(3);
  for (Walk& walk : walks) {
    const bool disturbed = random() % 2 == 0;
    for (std::size_t line = 0; line < walk.size(); ++line) {
      if (disturbed && sixteen_sets(line) == 3 && walk[line] == LineState::held) walk[line] = LineState::missing;
    }
  }
  const auto map = map_sets(walks);
  REQUIRE(map);
  CHECK(map->contradictions < 0.02);
}

TEST_CASE("lines that a policy keeps in nearly all walks are no set because of that") {
  const auto map = map_sets(walks_that_keep_first_lines(0.7, 400));
  CHECK((!map || map->ways.size() == 16));
}

TEST_CASE("walks that all miss, or that all stay, tell no sets apart") {
  CHECK_FALSE(map_sets(walks_of({200, sixteen_sets, none}, 0.72, 90)));
  CHECK_FALSE(map_sets(walks_of({100, sixteen_sets, eight}, 0.72, 90)));
  CHECK_FALSE(map_sets({}));
}

TEST_CASE("walks must be over the same lines") {
  const std::vector<Walk> uneven{Walk(3, LineState::held), Walk(4, LineState::held)};
  CHECK_THROWS_AS(map_sets(uneven), std::invalid_argument);
}
