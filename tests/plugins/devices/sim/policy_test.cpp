#include <array>
#include <vector>

#include "catch.hpp"
#include "sim/chase/cache_state.hpp"

namespace {

using namespace tomograph::sim;

/// Which of lines 0 to count - 1 are resident after `uses`, in order.
std::vector<std::uint32_t> resident_after(const Organisation& organisation,
                                          const std::vector<std::uint32_t>& set_of_line,
                                          const std::vector<std::uint32_t>& uses) {
  CacheState cache;
  Random random(1);
  cache.reset(organisation, set_of_line);
  for (const std::uint32_t line : uses) {
    if (cache.valid(line) != 0) {
      cache.touch(line);
    } else {
      cache.fill(line, 1, random);
    }
  }
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

TEST_CASE("a cache with more ways than lines never holds more lines than it has room for") {
  const std::array<std::int64_t, 2> set_ways{4, 4};
  const std::vector<std::uint32_t> two_sets{0, 1, 0, 1, 0, 1, 0, 1};
  const std::vector<std::uint32_t> uses{0, 1, 2, 3, 4, 5, 6, 7};
  CHECK(resident_after({set_ways, {}}, two_sets, uses).size() == 8);
  const auto resident = resident_after({set_ways, {}, 5}, two_sets, uses);
  CHECK(resident.size() == 5);
  CHECK(resident.back() == 7);
}
