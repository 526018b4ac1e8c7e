#include "tomograph/cache/line.hpp"

#include "catch.hpp"
#include "simulated_cache.hpp"

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

TEST_CASE("the line is found where neighbours share a set and misses bring 16 B") {
  sim::Gpu gpu = small_gpu();
  sim::Cache& l1 = gpu.caches[0].cache;
  l1.sector_size = l1.fetch_granularity = 16;
  l1.set_ways.assign(16, 12);
  l1.index = {sim::Index::Kind::bits, {12, 13, 16, 18}, {}};
  const auto execute = executor_of(gpu);
  CHECK(cache::evicted_together(execute, l1_subject(execute), 16, 128).bytes == 128);
}

TEST_CASE("blocks of two lines that one set holds, and that come and go together, are not taken for one line") {
  for (const std::int64_t ways : {4, 5, 7, 8, 10}) {
    sim::Gpu gpu = small_gpu();
    sim::Cache& l1 = gpu.caches[0].cache;
    l1.line_size = l1.sector_size = l1.fetch_granularity = 32;
    l1.set_ways.assign(8, ways);
    l1.index = {sim::Index::Kind::bits, {6, 17, 18}, {}};
    const auto execute = executor_of(gpu);
    const auto subject = l1_subject(execute);
    CAPTURE(ways);
    // No more than 256 B seem to fit where the first set overflows early.
    CHECK(cache::evicted_together(execute, subject, 32, 256).bytes.value_or(32) == 32);
  }
}
