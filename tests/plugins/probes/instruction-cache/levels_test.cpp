#include <algorithm>
#include <cmath>
#include <random>

#include "acquire_walks.hpp"
#include "analysis_levels.hpp"
#include "catch.hpp"

using namespace tomograph;
using namespace tomograph::instruction_cache;

namespace {

struct Cache {
  double kib;       ///< footprint of which half is missed
  double softness;  ///< from the first to the last miss, as a share of that
  double latency;
};

/// Walks over 2 to 256 KiB through these caches and one behind them; of a footprint in between, a share is missed.
std::vector<Footprint> walks(const std::vector<Cache>& caches, double behind, double noise) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<Footprint> footprints;
  for (std::int64_t kib = 2; kib <= 256; kib += std::max<std::int64_t>(1, kib * 3 / 100)) {
    footprints.push_back({kib * 1024, {}});
    for (int i = 0; i < 3 * kib; ++i) {
      double latency = behind;
      for (auto cache = caches.rbegin(); cache != caches.rend(); ++cache) {
        const double share = (static_cast<double>(kib) / cache->kib - 1) / cache->softness + 0.5;
        if (uniform(random) >= share) latency = cache->latency;
      }
      footprints.back().latencies.push_back(latency * (1 + noise * (uniform(random) - 0.5)));
    }
  }
  return footprints;
}

}  // namespace

TEST_CASE("three levels are told from walks, with their sizes and what misses cost") {
  const auto levels = find_levels(walks({{4.5, 0.2, 43}, {28, 0.5, 52}, {128, 0.25, 107}}, 317, 0.04));
  REQUIRE(levels.size() == 3);
  CHECK(levels[0].penalty() == Approx(9).margin(1));
  CHECK(levels[1].penalty() == Approx(55).margin(2));
  CHECK(levels[2].penalty() == Approx(210).margin(5));
  CHECK(levels[1].size == Approx(28 * 1024).epsilon(0.08));
  CHECK(levels[2].size == Approx(128 * 1024).epsilon(0.05));
  for (const Level& level : levels) {
    CHECK(level.all_fit <= level.size);
    CHECK(level.size <= level.none_fit);
  }
  CHECK(levels[2].all_fit >= 100 * 1024);
  CHECK(levels[2].none_fit <= 150 * 1024);
}

TEST_CASE("a cache that loses everything at once has a sharp size") {
  const auto levels = find_levels(walks({{64.5, 0.001, 50}}, 300, 0.02));
  REQUIRE(levels.size() == 1);
  CHECK(levels[0].all_fit == 64 * 1024);
  CHECK(levels[0].none_fit <= 66 * 1024);
}

TEST_CASE("code that never leaves a cache, and latencies that only scatter, show no level") {
  CHECK(find_levels(walks({{1000, 0.1, 50}}, 300, 0.02)).empty());
  CHECK(find_levels(walks({}, 300, 1.2)).empty());
  CHECK(find_levels({}).empty());
}

TEST_CASE("a last level whose blocks lie near and far is still seen") {
  const auto levels = find_levels(walks({{8.5, 0.1, 43}, {33, 0.3, 53}, {131, 0.2, 111}}, 300, 0.28));
  REQUIRE(levels.size() == 3);
  CHECK(levels[2].penalty() == Approx(189).epsilon(0.05));
}

TEST_CASE("a last level whose blocks differ by a third is still seen, and walks that end within it show none") {
  CHECK(find_levels(walks({{8.5, 0.1, 43}, {33, 0.3, 53}, {131, 0.2, 111}}, 325, 0.4)).size() == 3);
  CHECK(find_levels(walks({{8.5, 0.1, 43}, {33, 0.3, 53}, {200, 0.2, 111}}, 325, 0.4)).empty());
}

TEST_CASE("walks that end before latency is steady show no level, since names would shift") {
  const auto levels = find_levels(walks({{4.5, 0.2, 43}, {28, 0.5, 52}, {240, 0.5, 107}}, 317, 0.04));
  CHECK(levels.empty());
}

TEST_CASE("a last level faster than L2 may be larger than the walks, so it has no name") {
  const auto levels = find_levels(walks({{4.5, 0.2, 43}, {28, 0.5, 52}}, 107, 0.04));
  REQUIRE(levels.size() == 2);
  CHECK_FALSE(ends_in_l2(levels, 282));
  CHECK(ends_in_l2(find_levels(walks({{28, 0.5, 52}, {128, 0.25, 107}}, 317, 0.04)), 282));
}

TEST_CASE("a line is told from where the block before another one comes with it") {
  CHECK(line_blocks({false, false, false, false, false, false, false, false}) == 1);
  CHECK(line_blocks({false, true, false, true, false, true, false, true}) == 2);
  CHECK(line_blocks({false, true, true, true, false, true, true, true}) == 4);
  CHECK(line_blocks({false, true, true, true, true, true, true, true}) == 8);
  CHECK_FALSE(line_blocks({true, true, true, true, true, true, true, true}));
  CHECK_FALSE(line_blocks({false, true, false, true, false, true, true, true}));
}

TEST_CASE("walks are programs that the rules of the chase allow, also where laps meet in a block") {
  const Walk same = laps_over({0, 40, true}, 4, 1);
  const chase::Program program = program_of(same);
  CHECK_FALSE(chase::violation(program));
  CHECK(program.rings.size() == 1);
  REQUIRE(program.phases.size() == 1);
  CHECK(program.phases.front().loads == 160);
  CHECK(program.phases.back().timing == chase::Timing::each);
  const Walk mixed{{{0, 64, false}, {8192, 512, false}, {8192, 512, false}, {128, 8, true}, {0, 8, true}}, 0};
  const chase::Program meeting = program_of(mixed);
  CHECK_FALSE(chase::violation(meeting));
  CHECK(meeting.rings.size() == 4);
  CHECK(meeting.phases.size() == 4);
}

TEST_CASE("the last three levels have names, a single one is L1") {
  CHECK(names_of(3) == std::vector<std::string>{"instruction_l0", "instruction_l1", "instruction_l15"});
  CHECK(names_of(2) == std::vector<std::string>{"instruction_l1", "instruction_l15"});
  CHECK(names_of(1).front() == "instruction_l1");
  CHECK(names_of(5).size() == 3);
}

TEST_CASE("the block before a fetched one hits if its latency is closer to a hit than to a miss") {
  // Two places: the other block hits when the second one was fetched.
  CHECK(found_before(std::vector<double>{50, 90, 60, 50}, 40) == std::vector<bool>{false, true});
}
