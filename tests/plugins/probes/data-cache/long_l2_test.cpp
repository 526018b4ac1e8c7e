#include "catch.hpp"
#include "large_l2.hpp"

using namespace tomograph;
using namespace tomograph::data_cache;

TEST_CASE("conflicts that noise nearly hides leave their curve, but tell no penalty and no number of banks") {
  sim::Gpu gpu = gpu_with_large_l2(sim::Replacement::Policy::lru);
  gpu.dram.channel = {.banks = 24, .conflict_cycles = 3, .refresh_period = 4100, .refresh_cycles = 360};
  MemoryHost host;
  measure(gpu, host);
  CHECK(host.inconclusive.contains("dram.bank_conflict_penalty"));
  CHECK(host.evidence.contains("dram.channel.banks"));
  CHECK(host.inconclusive.contains("dram.channel.banks"));
}

TEST_CASE("under FIFO, where a target may leave in any round, the sets of two partitions are found") {
  MemoryHost host;
  measure(gpu_with_large_l2(sim::Replacement::Policy::fifo), host);
  CHECK(host.published["l2.ways"].value == ways);
  CHECK(host.published["l2.sets"].value == 512);
  CHECK(host.published["l2.replacement"].value == "fifo");
}
