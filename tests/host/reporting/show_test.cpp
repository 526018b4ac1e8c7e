#include <algorithm>
#include <sstream>

#include "catch.hpp"
#include "documents/display_width.hpp"
#include "reporting/fact_list.hpp"
#include "reporting/overview.hpp"
#include "reporting/table.hpp"
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
  record.method = "some-method";
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
  add(topology, "l1_data.size", 254976, "B");
  add(topology, "l1_data.nominal_size", 262144, "B", "api");
  add(topology, "l1_data.line_size", 128, "B");
  add(topology, "l1_data.latency", 38.5, "cycle", "measured", 0.95);
  add(topology, "l1_data.shared_with", {"texture"}, "");
  add(topology, "l2.size", 52428800, "B");
  add(topology, "l2.latency.near", 200, "cycle");
  add(topology, "l2.latency.far", 260, "cycle");
  add(topology, "quantum_foam.depth", 3, "1");
  for (const char* key : {"l1_data.sets", "l1_data.replacement"}) {
    topology.outcomes[key] = {
        .status = OutcomeStatus::inconclusive, .reason = "too noisy", .category = {}, .probe = "p"};
  }
  topology.outcomes["dram.latency"] = {
      .status = OutcomeStatus::blocked, .reason = "needs l2.size", .category = {}, .probe = "p"};
  topology.outcomes["shared.banks"] = {
      .status = OutcomeStatus::skipped, .reason = "no shared memory", .category = SkipCategory::device, .probe = "p"};
  return topology;
}

std::string without_colors(std::string text) {
  for (std::size_t at = 0; (at = text.find("\x1b[", at)) != std::string::npos;) {
    text.erase(at, text.find('m', at) - at + 1);
  }
  return text;
}

}  // namespace

TEST_CASE("a map of SMs is summed up where they are counted") {
  Topology topology = sample();
  add(topology, "sm.map", {{0, 0, 0}, {0, 0, 0}, {1, 1, 0}, {2, 1, 0}, {3, 2, 1}}, "");
  CHECK_THAT(overview(topology, false), ContainsSubstring("NVIDIA H200  132 SMs in 2 GPCs, 3 CPCs, 4 TPCs, 1.98 GHz"));
}

TEST_CASE("one SM is no plural") {
  Topology topology = sample();
  topology.facts.at("device.sm_count").value = 1;
  CHECK_THAT(overview(topology, false), ContainsSubstring("NVIDIA H200  1 SM, 1.98 GHz"));
  add(topology, "sm.map", {{0, 0, 0}}, "");
  CHECK_THAT(overview(topology, false), ContainsSubstring("1 SM in 1 GPC, 1 CPC, 1 TPC, 1.98 GHz"));
}

TEST_CASE("the overview shows sizes, latencies, what is one cache, what is uncertain and the findings") {
  CHECK(overview(sample(), false) == R"(NVIDIA H200  132 SMs, 1.98 GHz, compute capability 9.0
measured on cuda:0

Cache          one per  size     line   latency       same as
L1 data cache  SM       249 KiB  128 B  ~38.5 cycles  texture
L2 cache       GPU      50 MiB

Access to  near        far
L2 cache   200 cycles  260 cycles

Other facts         value
quantum_foam.depth  3

Uncertain (~ marks facts below 99 %)
95 %: l1_data.latency
dram.latency: blocked, needs l2.size
l1_data.replacement, l1_data.sets: inconclusive, too noisy

finding: l1_data.size is 249 KiB, but 256 KiB by the API (l1_data.nominal_size), 2.7 % less
13 facts, 3 open questions; `tomograph show --all` lists them all
)");
}

TEST_CASE("a cache of which the table knows nothing has no row, unless it is known which SMs have one") {
  Topology topology;
  add(topology, "l1_data.hit_threshold", 60.0, "cycle");
  add(topology, "constant_l15.sm_groups", {{0, 1}, {2, 3}}, "");
  const std::string text = overview(topology, false);
  CHECK_THAT(text, !ContainsSubstring("L1 data cache"));
  CHECK_THAT(text, ContainsSubstring("Constant L1.5  2 SMs"));
}

TEST_CASE("tensor cores are one line of the overview, with the fastest dense products of each type") {
  Topology topology;
  add(topology, "tensor.fp16.throughput", 2721.0, "FLOP/cycle");
  add(topology, "tensor.fp16.sparse.throughput", 4053.0, "FLOP/cycle");
  add(topology, "tensor.fp16.warpgroup.throughput", 4096.6, "FLOP/cycle");
  add(topology, "tensor.fp64.throughput", 255.8, "FLOP/cycle");
  const std::string text = overview(topology, false);
  CHECK_THAT(text, ContainsSubstring("Tensor cores, FLOP/cycle and SM: fp16 4097, fp64 256\n"));
  CHECK_THAT(text, !ContainsSubstring("2721"));
}

TEST_CASE("atomics are one line of the overview, with the additions of integers in each memory") {
  Topology topology;
  add(topology, "atomics.global.add_u32.latency", 700.0, "cycle");
  add(topology, "atomics.global.add_u32.throughput", 7.96, "1");
  add(topology, "atomics.shared.add_u32.latency", 50.0, "cycle");
  add(topology, "atomics.shared.add_u32.throughput", 16.0, "1");
  add(topology, "atomics.shared.add_u64.latency", 99.0, "cycle");
  CHECK_THAT(overview(topology, false),
             ContainsSubstring("Atomic additions: global memory 700 cycles, 7.96 per cycle and SM; shared memory 50 "
                               "cycles, 16 per cycle and SM\n"));
}

TEST_CASE("the banks of memory and their refreshes are one line of the overview") {
  Topology topology;
  add(topology, "dram.channel.banks", 32, "1");
  add(topology, "dram.bank_conflict_penalty", 93.0, "cycle");
  add(topology, "dram.row.stays_open", false, "");
  add(topology, "dram.refresh.period", 1.926e-6, "s");
  add(topology, "dram.refresh.duration", 2.4e-7, "s");
  CHECK_THAT(overview(topology, false),
             ContainsSubstring("Global memory: 32 banks a channel; two rows of a bank at once cost 93 cycles; a load "
                               "closes its row; a bank refreshes every 1.926 µs for 240 ns\n"));
}

TEST_CASE("facts of another type than the overview's lines expect are left out of them, the others stand") {
  Topology topology = sample();
  add(topology, "sm.map", {{"a", 0, 0}, {1}}, "");
  add(topology, "l2.shared_with", {1, "texture"}, "");
  add(topology, "tensor.fp16.throughput", "fast", "FLOP/cycle");
  add(topology, "atomics.global.add_u32.latency", 700.0, "cycle");
  add(topology, "atomics.global.add_u32.throughput", {7.96}, "1");
  add(topology, "dram.channel.banks", 32, "1");
  add(topology, "dram.row.stays_open", "no", "");
  topology.provenance["device"]["name"] = 7;
  const std::string text = overview(topology, false);
  CHECK_THAT(text, ContainsSubstring("NVIDIA H200  132 SMs, 1.98 GHz"));
  CHECK_THAT(text, ContainsSubstring("Global memory: 32 banks a channel\n"));
  CHECK_THAT(text, !ContainsSubstring("Tensor cores") && !ContainsSubstring("Atomic additions"));
}

TEST_CASE("every fact and every open question of a topology is in the full list, on a line of its own") {
  Topology topology;
  for (const char* key : {"l2", "l2.latency", "l2.latency.near.odd", "tlb.l1.reach", "tlb.l9.reach", "alone",
                          "dram.size", "device.uuid", "memory_spectrum.p1", "instruction.fp32_add.throughput"}) {
    add(topology, key, std::string("value-of-") + key, "");
  }
  topology.outcomes["shared.banks"] = {
      .status = OutcomeStatus::failed, .reason = "no banks here", .category = {}, .probe = "p"};
  const std::string text = fact_list(topology, false);
  for (const auto& [key, record] : topology.facts) CHECK_THAT(text, ContainsSubstring("value-of-" + key + " "));
  CHECK_THAT(text, ContainsSubstring("shared.banks   failed") && ContainsSubstring("no banks here\n"));
}

TEST_CASE("the full list has value, interval, confidence and method in columns, part by part") {
  Topology topology;
  add(topology, "l2.size", 4096, "B", "measured", 0.99994);
  add(topology, "device.warp_size", 32, "1", "api");
  topology.facts.at("l2.size").interval = {4000, 4200};
  topology.outcomes["l2.ways"] = {
      .status = OutcomeStatus::inconclusive, .reason = "too noisy", .category = {}, .probe = "p"};
  CHECK(fact_list(topology, false) == R"(Device            value  confidence  method
device.warp_size  32     100 %       API

L2 cache  value         interval                confidence  method
l2.size   4 KiB         3.906 KiB to 4.102 KiB  99.99 %     some-method
l2.ways   inconclusive                                      too noisy
)");
}

TEST_CASE("the rates between GPUs are a short line of the overview and a matrix of the full list") {
  Topology topology;
  add(topology, "link.bandwidth.copy",
      {{0, 1, 392e9}, {0, 3, 394e9}, {1, 0, 395e9}, {1, 3, 190e9}, {3, 0, 394e9}, {3, 1, 190e9}}, "B/s");
  CHECK_THAT(overview(topology, false),
             ContainsSubstring("link.bandwidth.copy  0 → 1: 392 GB/s ... 3 → 1: 190 GB/s (6 values)\n"));
  CHECK(fact_list(topology, false) == R"(link                 value                            confidence  method
link.bandwidth.copy  →  0         1         3         100 %       some-method
                     0            392 GB/s  394 GB/s
                     1  395 GB/s            190 GB/s
                     3  394 GB/s  190 GB/s
)");
}

TEST_CASE("triples that share a cell of the matrix are listed as rows, so that none is lost") {
  Topology topology;
  add(topology, "link.bandwidth.copy", {{0, 1, 392e9}, {0, 1, 394e9}}, "B/s");
  CHECK_THAT(fact_list(topology, false),
             ContainsSubstring("  0  1  392 GB/s  100 %") && ContainsSubstring("  0  1  394 GB/s\n"));
}

TEST_CASE("rows of many columns are counted in the overview and stand one below another in the full list") {
  Topology topology;
  add(topology, "workloads.character", {{"bfs", 1.5, 12.25, 0.5, 32, 214}, {"gaussian", 1, 4, 0, 16, 7}}, "");
  CHECK_THAT(overview(topology, false), ContainsSubstring("workloads.character  2 rows\n"));
  CHECK(fact_list(topology, false) == R"(workloads            value                               confidence  method
workloads.character  bfs       1.5  12.25  0.5  32  214  100 %       some-method
                     gaussian  1    4      0    16  7
)");
}

TEST_CASE("values of more columns than a screen has are summed up, so that the columns after them stay readable") {
  Topology topology;
  Json latencies = Json::array();
  for (int sm = 0; sm < 132; ++sm) latencies.push_back(std::vector<double>(94, 264.5 + sm % 3));
  add(topology, "l2.latency_by_sm_and_slice", latencies, "cycle");
  Json links = Json::array();
  for (int to = 1; to < 16; ++to) links.push_back({0, to, 392e9});
  add(topology, "link.bandwidth.copy", links, "B/s");
  add(topology, "l2.index", {{"kind", "masks"}, {"masks", std::vector<std::string>(40, "0x100a1")}}, "");
  const std::string text = fact_list(topology, false);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) CHECK(display_width(line) < 140);
  CHECK_THAT(text, ContainsSubstring("  132 rows × 94 values, 264.5 to 266.5 cycles  "));
  CHECK_THAT(text, ContainsSubstring("  0 → 1: 392 GB/s ... 0 → 15: 392 GB/s (15 values)  100 %"));
}

TEST_CASE("of longer rows of a quantity, the first column alone has no unit") {
  Topology topology;
  add(topology, "dsmem.bandwidth_by_pattern.read", {{2, 21.3, 16.1, 16.2}, {16, 21, 15, 8}}, "B/cycle");
  CHECK_THAT(fact_list(topology, false), ContainsSubstring("  2   21.3 B/cycle  16.1 B/cycle  16.2 B/cycle  100 %") &&
                                             ContainsSubstring("  16  21 B/cycle    15 B/cycle    8 B/cycle\n"));
}

TEST_CASE("a topology without any fact still gives an overview") {
  CHECK(overview({}, false) == "Device\n");
  CHECK(fact_list({}, false).empty());
}

TEST_CASE("an overview stays on one screen however many facts are uncertain, open or a stranger's") {
  Topology topology = sample();
  for (int i = 0; i < 100; ++i) {
    add(topology, "stranger.fact_" + std::to_string(i), i, "1", "measured", 0.5 + 0.004 * i);
    topology.outcomes["l2.open_" + std::to_string(i)] = {
        .status = OutcomeStatus::failed, .reason = "reason " + std::to_string(i), .category = {}, .probe = "p"};
  }
  const std::string text = overview(topology, false);
  CHECK(std::ranges::count(text, '\n') <= 60);
  CHECK_THAT(text, ContainsSubstring("more"));
}

TEST_CASE("what is uncertain takes no more lines than the screen has left") {
  Topology topology = sample();
  const auto add_rows = [&](int count) {
    for (int i = 0; i < count; ++i) {
      const std::string type = "instruction.type_" + std::to_string(i);
      add(topology, type + ".completion_latency", 4.0, "cycle");
      add(topology, type + ".throughput", 128.0, "1");
    }
  };
  const std::string two_lines =
      "a reason that is told in so many words that the line of the screen on which it begins "
      "has no room for all of them, attempt ";
  for (int i = 0; i < 3; ++i) {
    topology.outcomes["l2.open_" + std::to_string(i)] = {
        .status = OutcomeStatus::inconclusive, .reason = two_lines + std::to_string(i), .category = {}, .probe = "p"};
  }
  const auto lines = [&] { return std::ranges::count(overview(topology, false), '\n'); };
  const auto few = lines();
  add_rows(static_cast<int>(60 - few));
  CHECK(lines() <= 60);
  CHECK_THAT(overview(topology, false), ContainsSubstring("l2.open_0") && !ContainsSubstring("l2.open_1"));
}

TEST_CASE("colours only add to the text") {
  CHECK(overview(sample(), true) != overview(sample(), false));
  CHECK(without_colors(overview(sample(), true)) == overview(sample(), false));
  CHECK(without_colors(fact_list(sample(), true)) == fact_list(sample(), false));
}

TEST_CASE("one of a kind is counted as one") {
  Topology topology;
  add(topology, "l2.size", 4096, "B");
  topology.outcomes["l2.ways"] = {
      .status = OutcomeStatus::inconclusive, .reason = "too noisy", .category = {}, .probe = "p"};
  CHECK_THAT(overview(topology, false), ContainsSubstring("1 fact, 1 open question; `tomograph show --all`"));
  for (int i = 0; i < 4; ++i) add(topology, "l2.fact_" + std::to_string(i), i, "1", "measured", 0.5 + 0.1 * i);
  CHECK_THAT(overview(topology, false), ContainsSubstring("and 1 more reason\n"));
}

TEST_CASE("facts of a third party's plugin stand under its id") {
  Topology topology;
  FactRecord record;
  record.value = 12;
  record.unit = "cycle";
  record.confidence = 1;
  record.probe = "com.example.my-lens/a";
  record.method = "decoding";
  add_fact(topology, "com.example.my_lens.latency", record);
  topology.outcomes["com.example.my_lens.width"] = {
      .status = OutcomeStatus::inconclusive, .reason = "too noisy", .category = {}, .probe = "com.example.my-lens/a"};
  CHECK(fact_list(topology, false) == R"(com.example.my_lens          value         confidence  method
com.example.my_lens.latency  12 cycles     100 %       decoding
com.example.my_lens.width    inconclusive              too noisy
)");
}

TEST_CASE("columns align by what a terminal shows, not by bytes, and an empty column is left out") {
  Table table({"name", "never", "value"});
  table.add({"a×b", "", "1"});
  table.add({"long", "", "2"});
  CHECK(table.text(Style(false)) == "name  value\na×b   1\nlong  2\n");
  CHECK(Table({"nothing"}).text(Style(false)).empty());
}
