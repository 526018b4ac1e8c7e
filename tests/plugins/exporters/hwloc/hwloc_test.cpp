#include "hwloc.hpp"

#include "catch.hpp"
#include "levels.hpp"
#include "links.hpp"
#include "recorded.hpp"

using namespace tomograph;
using namespace tomograph::hwloc;
using Catch::Matchers::ContainsSubstring;

namespace {

EditedTopology four_sms() {
  EditedTopology topology;
  topology.set("device.name", "Test").set("device.sm_count", 4, "1").set("l2.size", 4096, "B");
  return topology;
}

std::vector<std::string> keys(const std::vector<Level>& levels) {
  std::vector<std::string> found;
  for (const Level& level : levels) found.push_back(level.key);
  return found;
}

}  // namespace

TEST_CASE("levels go from the widest to the narrowest") {
  auto edited = four_sms();
  edited.set("tlb.l2.sm_groups", {{0}, {2}, {1}, {3}}).set("constant_l15.sm_groups", {{2, 0}, {1, 3}});
  edited.set("l2.partition.of_sm", {0, 1, 0, 1}).set("tlb.l3.sm_groups", {{3, 2, 1, 0}});
  const auto levels = nested_levels(edited.topology());
  CHECK(keys(levels) == std::vector<std::string>{"tlb.l3", "l2.partition", "constant_l15"});
  CHECK(levels[1].groups == std::vector<Sms>{{0, 2}, {1, 3}});
}

TEST_CASE("a level whose groups cross those of a wider one is left out") {
  auto edited = four_sms();
  edited.set("l2.partition.of_sm", {0, 0, 1, 1}).set("constant_l15.sm_groups", {{0, 2}, {1, 3}});
  CHECK(keys(nested_levels(edited.topology())) == std::vector<std::string>{"l2.partition"});
}

TEST_CASE("a level that does not hold each SM once is left out") {
  for (const auto& groups : {nlohmann::json{{0, 1}, {2}}, nlohmann::json{{0, 1}, {1, 2, 3}}}) {
    auto edited = four_sms();
    edited.set("constant_l15.sm_groups", groups);
    CHECK(keys(nested_levels(edited.topology())) == std::vector<std::string>{"l2"});
  }
}

TEST_CASE("a GPU without an L2 has no level for it") {
  EditedTopology edited;
  edited.set("device.sm_count", 4, "1");
  CHECK(nested_levels(edited.topology()).empty());
  CHECK(topology_xml(edited.topology()).find("l2") == std::string::npos);
}

TEST_CASE("an L2 is shown whole where its partitions are not known of each SM") {
  auto edited = four_sms();
  edited.set("l2.partition.of_sm", {0, 1});
  CHECK_THAT(topology_xml(edited.topology()), ContainsSubstring("type=\"L2Cache\" cache_size=\"4096\""));
}

TEST_CASE("partitions whose size was not measured have equal parts of the L2") {
  auto edited = four_sms();
  edited.set("l2.partition.of_sm", {0, 1, 0, 1});
  CHECK_THAT(topology_xml(edited.topology()), ContainsSubstring("type=\"L2Cache\" cache_size=\"2048\""));
  edited.set("l2.partition.size", 1024, "B");
  CHECK_THAT(topology_xml(edited.topology()), ContainsSubstring("type=\"L2Cache\" cache_size=\"1024\""));
}

TEST_CASE("a size that is known to within an interval is rounded to bytes") {
  auto edited = four_sms();
  edited.set("l1_data.size", 16384.25, "B").set("dram.size", 8192.5, "B").set("shared.size_per_sm", 1023.75, "B");
  const std::string xml = topology_xml(edited.topology());
  CHECK_THAT(xml, ContainsSubstring("type=\"L1Cache\" cache_size=\"16384\""));
  CHECK_THAT(xml, ContainsSubstring("local_memory=\"8193\"") && ContainsSubstring("local_memory=\"1024\""));
}

TEST_CASE("an SM of which no latency was measured has none") {
  auto edited = four_sms();
  edited.set("l2.latency_by_sm", {250.5, 260.5, 270.5}, "cycle");
  const std::string xml = topology_xml(edited.topology());
  CHECK_THAT(xml, ContainsSubstring("value=\"270.5 cycle\""));
}

TEST_CASE("what the topology does not hold is left out of the XML") {
  const std::string xml = topology_xml(four_sms().topology());
  CHECK_THAT(xml, ContainsSubstring("type=\"L2Cache\" cache_size=\"4096\""));
  CHECK_THAT(xml, ContainsSubstring("cache_associativity=\"0\""));
  for (const char* absent : {"L1Cache", "NUMANode", "Group", "memattr", "GPUVendor"}) {
    CHECK(xml.find(absent) == std::string::npos);
  }
}

TEST_CASE("links between GPUs become a matrix of bandwidths between CUDA devices") {
  auto edited = four_sms();
  edited.set("link.bandwidth.copy", {{0, 1, 397.8e9}, {1, 0, 396.6e9}}, "B/s");
  const auto distances = link_distances(edited.topology());
  REQUIRE(distances.size() == 1);
  CHECK(distances[0].devices == std::vector<std::string>{"cuda0", "cuda1"});
  CHECK(distances[0].values == std::vector<std::int64_t>{0, 397800, 396600, 0});
  CHECK_THAT(topology_xml(edited.topology()), ContainsSubstring(" name=\"NVLinkBandwidth\""));
  CHECK(link_distances(four_sms().topology()).empty());
}

TEST_CASE("a fact of another type is refused by its name") {
  CHECK_THROWS_WITH(topology_xml(four_sms().set("tlb.l2.sm_groups", "a").topology()),
                    ContainsSubstring("tlb.l2.sm_groups is \"a\""));
}

TEST_CASE("a topology without the number of SMs is refused") {
  CHECK_THROWS_WITH(topology_xml(EditedTopology().set("l2.size", 4096, "B").topology()),
                    ContainsSubstring("device.sm_count"));
}

TEST_CASE("names cannot break out of the XML or the script") {
  const auto topology = four_sms().set("device.name", "a<b>&\"c\"\n'; rm x '").topology();
  CHECK_THAT(topology_xml(topology), ContainsSubstring("a&lt;b&gt;&amp;&quot;c&quot;?&apos;; rm x &apos;"));
  CHECK_THAT(annotation_script(topology), ContainsSubstring("info 'GPUModel' 'a<b>&\"c\"\n'\\''; rm x '\\'''\n"));
}

TEST_CASE("the script annotates the GPU where it was measured unless told otherwise") {
  const auto topology = four_sms().set("device.pci_bus_id", "0000:65:00.0").topology();
  CHECK_THAT(annotation_script(topology), ContainsSubstring("own='0000:65:00.0'\n"));
  CHECK_THAT(annotation_script(four_sms().topology()), ContainsSubstring("own=''\n"));
}

TEST_CASE("cycles become nanoseconds and bytes per cycle MiB/s at the clock of the SMs") {
  auto edited = four_sms();
  edited.set("device.sm_clock", 2'000'000'000, "Hz").set("dram.size", 8192, "B").set("dram.latency", 600.0, "cycle");
  edited.set("shared.size_per_sm", 1024, "B").set("shared.bandwidth.read", 128.0, "B/cycle");
  const std::string xml = topology_xml(edited.topology());
  CHECK_THAT(xml, ContainsSubstring("target_obj_gp_index=\"1\" value=\"300\" initiator_cpuset=\"0x0000000f\""));
  CHECK_THAT(xml, ContainsSubstring("target_obj_gp_index=\"5\" value=\"244141\" initiator_cpuset=\"0x00000008\""));
}
