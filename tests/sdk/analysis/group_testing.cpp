#include "tomograph/analysis/group_testing.hpp"

#include <algorithm>
#include <random>

#include "catch.hpp"

using tomograph::analysis::GroupTesting;

namespace {

bool holds(const std::vector<tomograph::analysis::ElementRun>& pool, std::int64_t element) {
  return std::ranges::any_of(pool,
                             [&](const auto& run) { return element >= run.first && element < run.first + run.count; });
}

/// A set of `ways` ways into which every `distance`-th element of a pool falls. Of all tests, a share `misread` tells
/// the opposite.
struct Cache {
  std::int64_t ways = 4;
  std::int64_t distance = 16;
  double misread = 0;
  std::mt19937_64 random = std::mt19937_64(5);  // NOLINT(cert-msc51-cpp): the same in every run

  bool evicts(const std::vector<tomograph::analysis::ElementRun>& pool, std::int64_t elements) {
    std::int64_t same_set = 0;
    for (std::int64_t element = 3; element < elements; element += distance) same_set += holds(pool, element) ? 1 : 0;
    const bool misreads = std::uniform_real_distribution<double>()(random) < misread;
    return (same_set >= ways) != misreads;
  }
};

GroupTesting searched(Cache cache, const GroupTesting::Setup& setup) {
  GroupTesting search(setup);
  while (!search.done()) {
    std::vector<bool> evicted;
    for (const auto& pool : search.step().pools) evicted.push_back(cache.evicts(pool, search.elements()));
    search.advance(evicted);
  }
  return search;
}

}  // namespace

TEST_CASE("a group has as many elements as the set has ways, all of that set") {
  for (const std::int64_t ways : {1, 4, 16}) {
    const auto search = searched({.ways = ways}, {.most = 1024, .wanted = 600, .budget = 1'000'000, .seed = 1});
    REQUIRE(search.found());
    CHECK(std::ssize(search.group()) == ways);
    for (const std::int64_t element : search.group()) CHECK(element % 16 == 3);
  }
}

TEST_CASE("misread tests cost steps, not the group") {
  const auto search =
      searched({.misread = 0.02}, {.most = 1024, .wanted = 600, .budget = 10'000'000, .most_rounds = 2, .seed = 1});
  REQUIRE(search.found());
  CHECK(search.group().size() == 4);
}

TEST_CASE("a pool that is too small grows, and one that cannot grow or costs too much fails") {
  const auto grown = searched({}, {.most = 1024, .wanted = 40, .budget = 1'000'000, .seed = 1});
  CHECK(grown.found());
  CHECK(grown.elements() > 40);
  CHECK_FALSE(searched({.ways = 100}, {.most = 1024, .wanted = 40, .budget = 10'000'000, .seed = 1}).found());
  CHECK_FALSE(searched({}, {.most = 1024, .wanted = 600, .budget = 2000, .seed = 1}).found());
}
