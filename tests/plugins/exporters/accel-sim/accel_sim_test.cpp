#include "accel_sim.hpp"

#include <map>
#include <set>
#include <sstream>

#include "catch.hpp"
#include "recorded.hpp"

using namespace tomograph;
using Catch::Matchers::ContainsSubstring;

namespace {

/// A statistics file as tuner.py reads it.
struct Tuned {
  std::string device = "undefined";
  std::map<std::string, std::string> options;
};

Tuned read_as_tuner(const std::string& text) {
  Tuned tuned;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('-')) {
      const auto space = line.find(' ');
      CHECK(tuned.options.emplace(line.substr(0, space), line.substr(space + 1)).second);
    } else if (line.find("Device Name") != std::string::npos) {
      CHECK(tuned.device == "undefined");
      tuned.device = line.substr(line.find(" = ") + 3);
    }
  }
  return tuned;
}

/// The options in the templates of tuner.py (of 2022) that it replaces and that a topology may hold.
const std::set<std::string> replaceable{"-gpgpu_ptx_force_max_capability",
                                        "-gpgpu_compute_capability_major",
                                        "-gpgpu_compute_capability_minor",
                                        "-gpgpu_n_clusters",
                                        "-gpgpu_n_cores_per_cluster",
                                        "-gpgpu_shader_registers",
                                        "-gpgpu_registers_per_block",
                                        "-gpgpu_occupancy_sm_number",
                                        "-gpgpu_shader_core_pipeline",
                                        "-gpgpu_shader_cta",
                                        "-gpgpu_num_sp_units",
                                        "-gpgpu_num_sfu_units",
                                        "-gpgpu_num_dp_units",
                                        "-gpgpu_num_int_units",
                                        "-ptx_opcode_latency_sfu",
                                        "-ptx_opcode_initiation_sfu",
                                        "-gpgpu_l1_latency",
                                        "-gpgpu_gmem_skip_L1D",
                                        "-gpgpu_shmem_size",
                                        "-gpgpu_shmem_sizeDefault",
                                        "-gpgpu_shmem_per_block",
                                        "-gpgpu_smem_latency",
                                        "-gpgpu_shmem_num_banks",
                                        "-gpgpu_coalesce_arch",
                                        "-gpgpu_l2_rop_latency",
                                        "-dram_latency",
                                        "-trace_opcode_latency_initiation_int",
                                        "-trace_opcode_latency_initiation_sp",
                                        "-trace_opcode_latency_initiation_dp",
                                        "-trace_opcode_latency_initiation_sfu"};

EditedTopology complete() {
  EditedTopology topology("h200");
  topology.set("device.registers_per_block", 65536, "1").set("device.shared_memory_per_block", 49152, "B");
  return topology;
}

}  // namespace

TEST_CASE("a complete topology sets every option that it can hold, and none that the tuner ignores") {
  const Tuned tuned = read_as_tuner(accel_sim::statistics(complete().topology()));
  CHECK(tuned.device == "NVIDIA H200");
  std::set<std::string> names;
  for (const auto& [name, value] : tuned.options) names.insert(name);
  CHECK(names == replaceable);
}

TEST_CASE("latencies of a level are what it adds to the level before") {
  const auto topology = complete()
                            .set("l1_data.latency", 32.4, "cycles")
                            .set("l2.latency", 282.1, "cycles")
                            .set("dram.latency", 623.8, "cycles")
                            .topology();
  const auto options = read_as_tuner(accel_sim::statistics(topology)).options;
  CHECK(options.at("-gpgpu_l1_latency") == "32");
  CHECK(options.at("-gpgpu_l2_rop_latency") == "250");
  CHECK(options.at("-dram_latency") == "342");
}

TEST_CASE("units and initiation intervals give the measured throughput") {
  const auto topology = complete().topology();
  const auto options = read_as_tuner(accel_sim::statistics(topology)).options;
  const std::map<std::string, std::string> instructions{
      {"int", "int32_mad"}, {"sp", "fp32_fma"}, {"dp", "fp64_fma"}, {"sfu", "special"}};
  for (const auto& [kind, instruction] : instructions) {
    const std::string pair = options.at("-trace_opcode_latency_initiation_" + kind);
    const double initiation = std::stod(pair.substr(pair.find(',') + 1));
    const double per_cycle = std::stod(options.at("-gpgpu_num_" + kind + "_units")) * 32 / initiation;
    CHECK(per_cycle == Approx(*topology.value<double>("instruction." + instruction + ".throughput")).epsilon(0.01));
  }
}

TEST_CASE("a GPU that starts less than an instruction a cycle has one slow unit of a kind") {
  EditedTopology topology;
  topology.set("device.name", "Slow").set("instruction.special.completion_latency", 20.0, "cycle");
  topology.set("instruction.special.issue_latency", 8.0, "cycle");
  const Tuned tuned = read_as_tuner(accel_sim::statistics(topology.topology()));
  CHECK(tuned.options.at("-gpgpu_num_sfu_units") == "1");
  CHECK(tuned.options.at("-trace_opcode_latency_initiation_sfu") == "20,8");
}

TEST_CASE("an option whose facts are missing is left to the template") {
  const auto options =
      read_as_tuner(accel_sim::statistics(complete().remove("l2.latency").remove("device.sm_count").topology()))
          .options;
  for (const char* absent :
       {"-gpgpu_l2_rop_latency", "-dram_latency", "-gpgpu_n_clusters", "-gpgpu_n_cores_per_cluster"}) {
    CHECK(!options.contains(absent));
  }
}

TEST_CASE("each fact is in an option or in a comment") {
  const auto topology = complete().topology();
  const std::string text = accel_sim::statistics(topology);
  CHECK_THAT(text, ContainsSubstring("# l1_data.replacement = \"segmented-lru\"\n"));
  CHECK_THAT(text, ContainsSubstring("# -gpgpu_cache:dl1 S:512:128:4,?:?:?:?:?,?:?:?,?\n"));
  CHECK_THAT(text, !ContainsSubstring("# l2.latency ="));
  CHECK_THAT(text, ContainsSubstring("# tlb.l1.entries = 16\n"));
}

TEST_CASE("a name cannot add options or lead out of the tuner's folder") {
  const auto topology = complete();
  const std::string latency = read_as_tuner(accel_sim::statistics(topology.topology())).options.at("-dram_latency");
  const auto tuned =
      read_as_tuner(accel_sim::statistics(complete().set("device.name", "../x\n-dram_latency 1").topology()));
  CHECK(tuned.device == "___x_-dram_latency 1");
  CHECK(tuned.options.at("-dram_latency") == latency);
}

TEST_CASE("a topology without a name is refused") {
  CHECK_THROWS_WITH(accel_sim::statistics(complete().remove("device.name").topology()),
                    ContainsSubstring("device.name"));
}
