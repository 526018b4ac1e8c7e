#include "acquire_saturation.hpp"
#include "catch.hpp"
#include "sdk/cache/simulated_cache.hpp"

using namespace tomograph;
using namespace tomograph::testing;

TEST_CASE("what stays of more lines than fit is the capacity, also where lines are lost before it is full") {
  using Policy = sim::Replacement::Policy;
  for (const Policy policy : {Policy::lru, Policy::fifo, Policy::random}) {
    sim::Gpu gpu = small_gpu();
    gpu.caches[0].cache.replacement.policy = policy;
    const auto execute = executor_of(gpu);
    const auto seen = data_cache::saturation(execute, l1_subject(execute), 128, 1024, 1 << 20, 8000);
    REQUIRE(seen);
    CHECK(seen->full.mean == Approx(8192).epsilon(0.015));
    CHECK(seen->tests > 4000);
  }
  // Of 64 lines in sets chosen by bits that they do not vary, only those of one set stay; at random places all do.
  sim::Gpu gpu = small_gpu();
  gpu.caches[0].cache.index = {sim::Index::Kind::bits, {17, 18, 19, 20}, {}};
  const auto execute = executor_of(gpu);
  const auto seen = data_cache::saturation(execute, l1_subject(execute), 128, 256, 1 << 20, 8000);
  REQUIRE(seen);
  CHECK(seen->full.mean == Approx(8192).epsilon(0.05));
  CHECK(seen->at_knee.mean < 0.95 * seen->full.mean);
}

TEST_CASE("a cache that holds all that may be looked at has no capacity") {
  const auto execute = executor_of(small_gpu());
  CHECK_FALSE(data_cache::saturation(execute, l1_subject(execute), 128, 1024, 4096, 1000));
}
