#include <array>
#include <vector>

#include "catch.hpp"
#include "sim/chase/cache_state.hpp"

namespace {

using namespace tomograph::sim;

/// Which of lines 0 to count - 1 are resident after `uses`, in order.
std::vector<std::uint32_t> resident_after(const Organisation& organisation,
                                          const std::vector<std::uint32_t>& set_of_line,
                                          const std::vector<std::uint32_t>& uses, std::uint64_t seed = 1) {
  CacheState cache;
  cache.reset(organisation, set_of_line, organisation.rule(set_of_line), Random(seed));
  with_rule(cache.rule(), [&](auto rule) {
    for (const std::uint32_t line : uses) cache.use<rule()>(line, 1, 1);
  });
  std::vector<std::uint32_t> resident;
  for (std::uint32_t line = 0; line < set_of_line.size(); ++line) {
    if (cache.valid(line) != 0) resident.push_back(line);
  }
  return resident;
}

}  // namespace

// The sequences and their outcomes are those seen on an H200.
TEST_CASE("segmented LRU lets lines that were used once replace only each other") {
  const Organisation organisation(std::array<std::int64_t, 1>{4}, {Replacement::Policy::segmented_lru, {}, 2});
  const std::vector<std::uint32_t> one_set(12, 0);
  using Lines = std::vector<std::uint32_t>;
  CHECK(resident_after(organisation, one_set, {0, 1, 2, 3, 4}) == Lines{1, 2, 3, 4});
  CHECK(resident_after(organisation, one_set, {0, 0, 1, 2, 3, 4, 5, 6}) == Lines{0, 4, 5, 6});
  CHECK(resident_after(organisation, one_set, {0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6}) == Lines{2, 3, 5, 6});
  CHECK(resident_after(organisation, one_set, {0, 1, 2, 3, 0, 1, 4, 5, 6}) == Lines{0, 1, 5, 6});
  CHECK(resident_after(organisation, one_set, {0, 1, 2, 3, 0, 1, 2, 3, 4, 4, 5, 5}) == Lines{2, 3, 4, 5});
}

TEST_CASE("tree-PLRU evicts where the bits point, which need not be at the oldest line") {
  // Lines 0 to 3 fill ways 0 to 3; then the root points at the left pair, both pairs at their left way. Line 4 takes
  // way 0 and turns the root, so line 5 takes way 2 from line 2, though line 1 is older.
  const Organisation organisation(std::array<std::int64_t, 1>{4}, {Replacement::Policy::tree_plru});
  const std::vector<std::uint32_t> one_set(12, 0);
  using Lines = std::vector<std::uint32_t>;
  CHECK(resident_after(organisation, one_set, {0, 1, 2, 3, 4}) == Lines{1, 2, 3, 4});
  CHECK(resident_after(organisation, one_set, {0, 1, 2, 3, 4, 5}) == Lines{1, 3, 4, 5});
  // A use of line 0 turns the root to the right pair, whose left way holds line 2.
  CHECK(resident_after(organisation, one_set, {0, 1, 2, 3, 0, 4}) == Lines{0, 1, 3, 4});
  // Then line 5 goes left again, to way 1; line 6 to way 3; line 7 to way 0.
  CHECK(resident_after(organisation, one_set, {0, 1, 2, 3, 0, 4, 5}) == Lines{0, 3, 4, 5});
  CHECK(resident_after(organisation, one_set, {0, 1, 2, 3, 0, 4, 5, 6, 7}) == Lines{4, 5, 6, 7});
}

TEST_CASE("with an order of ways each set takes its victims from them in turn") {
  const Organisation organisation(std::array<std::int64_t, 1>{4},
                                  {.policy = Replacement::Policy::way_order, .way_order = {1, 2, 1}});
  const std::vector<std::uint32_t> one_set(12, 0);
  using Lines = std::vector<std::uint32_t>;
  CHECK(resident_after(organisation, one_set, {0, 1, 2, 3, 4}) == Lines{0, 2, 3, 4});
  CHECK(resident_after(organisation, one_set, {0, 1, 2, 3, 4, 5, 6}) == Lines{0, 3, 5, 6});
  CHECK(resident_after(organisation, one_set, {0, 1, 2, 3, 4, 5, 6, 7}) == Lines{0, 3, 5, 7});
}

TEST_CASE("not recently used: lines leave while there is room, but never those used last") {
  using Lines = std::vector<std::uint32_t>;
  const std::vector<std::uint32_t> one_set(8, 0);
  const std::array<std::int64_t, 1> four_ways{4};
  const auto after = [&](std::int64_t recent_ways, const Lines& uses, std::uint64_t seed) {
    const Organisation organisation(four_ways,
                                    {.policy = Replacement::Policy::not_recently_used, .recent_ways = recent_ways});
    return resident_after(organisation, one_set, uses, seed);
  };
  // Of three lines two are the last ones, and the third came while there were no others. The fourth takes the empty way
  // or that of line 0.
  std::uint64_t lost = 0;
  constexpr std::uint64_t seeds = 400;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    CHECK(after(2, {0, 1, 2}, seed) == Lines{0, 1, 2});
    const Lines four = after(2, {0, 1, 2, 3}, seed);
    if (four != Lines{0, 1, 2, 3}) {
      CHECK(four == Lines{1, 2, 3});
      ++lost;
    }
    // A use of line 0 makes line 1 the oldest.
    const Lines touched = after(2, {0, 1, 2, 0, 3}, seed);
    CHECK((touched == Lines{0, 1, 2, 3} || touched == Lines{0, 2, 3}));
    CHECK(after(3, {0, 1, 2, 3, 4, 0}, seed) == Lines{0, 2, 3, 4});
  }
  // Half of them, within four standard deviations.
  CHECK(lost > seeds / 2 - 40);
  CHECK(lost < seeds / 2 + 40);
  // Whoever comes back often enough finds room.
  Lines walks;
  for (int walk = 0; walk < 16; ++walk) walks.insert(walks.end(), {0, 1, 2, 3});
  for (std::uint64_t seed = 1; seed <= 20; ++seed) CHECK(after(2, walks, seed) == Lines{0, 1, 2, 3});
}

TEST_CASE("a cache with more ways than lines never holds more lines than it has room for") {
  const std::array<std::int64_t, 2> set_ways{4, 4};
  const std::vector<std::uint32_t> two_sets{0, 1, 0, 1, 0, 1, 0, 1};
  const std::vector<std::uint32_t> uses{0, 1, 2, 3, 4, 5, 6, 7};
  CHECK(resident_after({set_ways, {}}, two_sets, uses).size() == 8);
  const auto resident = resident_after({set_ways, {}, 5}, two_sets, uses);
  CHECK(resident.size() == 5);
  CHECK(resident.back() == 7);
}

TEST_CASE("lines of an earlier program take no room, whichever sets they were in") {
  const std::array<std::int64_t, 3> set_ways{4, 4, 4};
  const Organisation organisation(set_ways, {}, 5);
  const auto used = [&](CacheState& cache, const std::vector<std::uint32_t>& set_of_line) {
    cache.reset(organisation, set_of_line, organisation.rule(set_of_line), Random(1));
    std::size_t resident = 0;
    with_rule(cache.rule(), [&](auto rule) {
      for (std::uint32_t use = 0; use < 10 * set_of_line.size(); ++use) {
        cache.use<rule()>(use % static_cast<std::uint32_t>(set_of_line.size()), 1, 1);
      }
    });
    for (std::uint32_t line = 0; line < set_of_line.size(); ++line) resident += cache.valid(line) != 0 ? 1 : 0;
    return resident;
  };
  CacheState cache;
  CHECK(used(cache, {2, 2, 2, 2, 2}) == 4);
  CHECK(used(cache, {0, 1, 0, 1, 0, 1, 0, 1}) == 5);
}
