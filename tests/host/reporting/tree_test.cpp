#include "reporting/tree.hpp"

#include "catch.hpp"
#include "topology/merge.hpp"

using namespace tomograph::host;
using Catch::Matchers::ContainsSubstring;

namespace {

void add(Topology& topology, const std::string& key, const Json& value, const std::string& unit,
         const std::string& source = "measured", double confidence = 1) {
  FactRecord record;
  record.value = value;
  record.unit = unit;
  record.source = source;
  record.probe = "p";
  record.confidence = confidence;
  add_fact(topology, key, record);
}

Topology sample() {
  Topology topology;
  topology.provenance = {{"device", {{"name", "cuda:0"}}}};
  add(topology, "device.name", "NVIDIA H200", "", "api");
  add(topology, "device.compute_capability", "9.0", "", "api");
  add(topology, "device.sm_count", 132, "1", "api");
  add(topology, "device.sm_clock", 1980e6, "Hz", "api");
  add(topology, "device.warp_size", 32, "1", "api");
  add(topology, "l1_data.size", 254976, "B");
  add(topology, "l1_data.nominal_size", 262144, "B", "api");
  add(topology, "l1_data.line_size", 128, "B");
  add(topology, "l1_data.sector_size", 32, "B");
  add(topology, "l1_data.latency", 38.5, "cycle", "measured", 0.95);
  add(topology, "l2.size", 52428800, "B");
  add(topology, "l2.latency.near", 200, "cycle");
  add(topology, "l2.latency.far", 260, "cycle");
  add(topology, "quantum_foam.depth", 3, "1");
  for (const char* key : {"l1_data.sets", "l1_data.replacement"}) {
    topology.outcomes[key] = {.status = "inconclusive", .reason = "too noisy", .category = {}, .probe = "p"};
  }
  topology.outcomes["dram.latency"] = {.status = "blocked", .reason = "needs l2.size", .category = {}, .probe = "p"};
  return topology;
}

}  // namespace

TEST_CASE("the tree shows the hierarchy with sizes, open questions and findings") {
  CHECK(tree(sample(), false) == R"(NVIDIA H200  cuda:0, compute capability 9.0
│    warp size 32
├─ SM × 132 at 1.98 GHz
│  └─ L1 data cache  249 KiB usable of 256 KiB nominal
│          line 128 B, sector 32 B
│          latency 38.5 cycles (95 % sure)
│          replacement, sets: inconclusive, too noisy
├─ L2 cache  50 MiB
│       near 200 cycles, far 260 cycles
├─ Global memory
│       latency: blocked, needs l2.size
└─ quantum foam
        depth 3
finding: l1_data.size is 249 KiB, but 256 KiB by the API (l1_data.nominal_size), 2.7 % less
)");
}

TEST_CASE("every fact and every open question of a topology is in its tree") {
  Topology topology;
  for (const char* key : {"l2", "l2.latency", "l2.latency.near.odd", "tlb.l1.reach", "tlb.l9.reach", "alone",
                          "dram.size", "device.uuid", "memory_spectrum.p1", "instruction.fp32_add.throughput"}) {
    add(topology, key, std::string("value-of-") + key, "");
  }
  topology.outcomes["shared.banks"] = {.status = "skipped", .reason = "no banks here", .category = {}, .probe = "p"};
  const std::string text = tree(topology, false);
  for (const auto& [key, record] : topology.facts) CHECK_THAT(text, ContainsSubstring("value-of-" + key));
  CHECK_THAT(text, ContainsSubstring("banks: skipped, no banks here"));
}

TEST_CASE("a topology without any fact still gives a tree") { CHECK(tree({}, false) == "Device\n"); }

TEST_CASE("colours only add to the text") {
  std::string text = tree(sample(), true);
  CHECK(text != tree(sample(), false));
  for (std::size_t at = 0; (at = text.find("\x1b[", at)) != std::string::npos;) {
    text.erase(at, text.find('m', at) - at + 1);
  }
  CHECK(text == tree(sample(), false));
}

TEST_CASE("facts of a third party's plugin stand under its id") {
  Topology topology;
  FactRecord record;
  record.value = 12;
  record.unit = "cycle";
  record.confidence = 1;
  record.probe = "com.example.my-lens/a";
  add_fact(topology, "com.example.my_lens.latency", record);
  record.probe = "org.example.other/b";
  add_fact(topology, "org.example.other.depth", record);
  topology.outcomes["com.example.my_lens.width"] = {
      .status = "inconclusive", .reason = "too noisy", .category = {}, .probe = "com.example.my-lens/a"};
  CHECK(tree(topology, false) == R"(Device
├─ com.example.my_lens
│       latency 12 cycles
│       width: inconclusive, too noisy
└─ org.example.other
        depth 12 cycles
)");
}
