#include "catch.hpp"
#include "simulated_cache.hpp"
#include "tomograph/cache/line.hpp"

using namespace tomograph;
using namespace tomograph::testing;

TEST_CASE("the line is found where neighbours share a set, though they come and go together") {
  sim::Gpu gpu = small_gpu();
  gpu.caches[0].cache.set_ways.assign(16, 12);
  gpu.caches[0].cache.index = {sim::Index::Kind::bits, {12, 13, 16, 18}, {}};
  const auto execute = executor_of(gpu);
  const auto subject = l1_subject(execute);
  // Of neighbours, 1.5 KiB fit: all of them in one set.
  CHECK(cache::evicted_together(execute, subject, 32, 1024).bytes == 128);
}
