#include "tomograph/cache/knee.hpp"

#include "catch.hpp"
#include "simulated_cache.hpp"

namespace {

using namespace tomograph;
using namespace tomograph::testing;
using Policy = sim::Replacement::Policy;

/// 16 sets of 4 ways in a row, but one of `odd` ways.
bool are_full(Policy policy, std::int64_t odd, std::int64_t fitting_lines) {
  sim::Gpu gpu = small_gpu();
  gpu.caches[0].cache.set_ways[5] = odd;
  gpu.caches[0].cache.index = {sim::Index::Kind::bits, {7, 8, 9, 10}, {}};
  gpu.caches[0].cache.replacement.policy = policy;
  const auto execute = executor_of(gpu);
  return cache::sets_are_full(execute, l1_subject(execute), 128, fitting_lines * 128);
}

}  // namespace

TEST_CASE("lines beyond full sets overflow one set each") {
  for (const Policy policy : {Policy::lru, Policy::fifo, Policy::random}) CHECK(are_full(policy, 4, 64));
}

TEST_CASE("a set that lacks a way overflows while others still take lines") {
  // Its fourth line is number 53; 63 lines have a place.
  for (const Policy policy : {Policy::lru, Policy::fifo, Policy::random}) CHECK_FALSE(are_full(policy, 3, 53));
}
