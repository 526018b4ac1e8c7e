#include "acquire_walks.hpp"
#include "analysis_overflow.hpp"
#include "catch.hpp"
#include "sdk/cache/simulated_cache.hpp"

using namespace tomograph;
using namespace tomograph::classical_methods;
using tomograph::testing::executor_of;
using tomograph::testing::l1_subject;
using tomograph::testing::small_gpu;

TEST_CASE("the number of missed elements grows once in a line") {
  // Lines of four elements: one element too many brings five lines of a set down, and so does the fifth.
  CHECK(line_size(std::vector<std::int64_t>{5, 5, 5, 5, 10}, 8) == 32);
  CHECK_FALSE(line_size(std::vector<std::int64_t>{5, 5, 5, 5}, 8));
  CHECK_FALSE(line_size({}, 8));
}

TEST_CASE("sets of unequal ways come out in the order in which they overflow (Mei & Chu 2017, Fig. 8)") {
  // 18 pages of the set of 17 entries, then nine of each of the others; a page of a set that overflowed adds itself.
  CHECK(ways_of_sets(std::vector<std::int64_t>{18, 19, 28, 37}) == std::vector<std::int64_t>{17, 8, 8});
  CHECK(ways_of_sets({}).empty());
}

TEST_CASE("a walk is periodic if what misses does so in every round, but for one delayed load") {
  CHECK(Misses{{8, 0, 7, 1}, 8}.is_periodic());
  CHECK_FALSE(Misses{{8, 0, 5, 0}, 8}.is_periodic());
  CHECK(Misses{{8, 0, 7, 1}, 8}.nodes() == 2);
  CHECK(Misses{{8, 0, 7, 1}, 8}.rate() == Approx(0.5));
}

TEST_CASE("one line too many misses in a set periodically under LRU, and aperiodically in an order of ways") {
  // 16 sets of 4 ways, lines of 128 B.
  for (const bool is_lru : {true, false}) {
    sim::Gpu gpu = small_gpu();
    if (!is_lru) {
      gpu.caches[0].cache.replacement = {.policy = sim::Replacement::Policy::way_order,
                                         .way_order = {1, 2, 1, 0, 1, 3}};
    }
    const auto execute = executor_of(gpu);
    const auto subject = l1_subject(execute);
    CHECK(count_misses(execute, subject, {8192, 128}, 16).nodes() == 0);
    const Misses seen = count_misses(execute, subject, {8192 + 128, 128}, 16);
    CHECK(seen.nodes() == 5);
    CHECK(seen.is_periodic() == is_lru);
  }
}
