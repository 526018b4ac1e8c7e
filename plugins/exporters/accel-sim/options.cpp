#include "options.hpp"

#include <array>
#include <cmath>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "units.hpp"

namespace tomograph::accel_sim {

namespace {

struct Copied {
  const char* option;
  const char* key;
};

/// Options that have the value of a fact, rounded to an integer.
constexpr std::array copied{
    Copied{"-gpgpu_n_clusters", "device.sm_count"},
    Copied{"-gpgpu_shader_registers", "device.registers_per_sm"},
    Copied{"-gpgpu_registers_per_block", "device.registers_per_block"},
    Copied{"-gpgpu_shader_cta", "device.max_blocks_per_sm"},
    Copied{"-gpgpu_shmem_size", "device.shared_memory_per_sm"},
    Copied{"-gpgpu_shmem_sizeDefault", "device.shared_memory_per_sm"},
    Copied{"-gpgpu_shmem_per_block", "device.shared_memory_per_block"},
    Copied{"-gpgpu_shmem_num_banks", "shared.banks"},
    Copied{"-gpgpu_smem_latency", "shared.latency"},
    Copied{"-gpgpu_l1_latency", "l1_data.latency"},
};

struct Difference {
  const char* option;
  const char* farther;
  const char* nearer;
};

/// The simulator adds up the latencies of the levels that a load passes.
constexpr std::array differences{
    Difference{"-gpgpu_l2_rop_latency", "l2.latency", "l1_data.latency"},
    Difference{"-dram_latency", "dram.latency", "l2.latency"},
};

class Collector {
 public:
  explicit Collector(const Topology& topology) : topology_(&topology) {
    add_capability();
    for (const auto& [option, key] : copied) add_copied(option, key);
    if (known("device.sm_count")) options_.complete.push_back({"-gpgpu_n_cores_per_cluster", "1"});
    for (const Difference& difference : differences) add_difference(difference);
    add_threads();
    if (const auto cached = topology.value<bool>("l1_data.caches_global_loads")) {
      add("-gpgpu_gmem_skip_L1D", *cached ? "0" : "1", {"l1_data.caches_global_loads"});
    }
    for (const Units& units : units_of(topology)) add_units(units);
    add_clocks();
    add_ptx_latencies();
    add_cache("-gpgpu_cache:dl1", "l1_data");
    add_cache("-gpgpu_cache:dl2", "l2");
    add_cache("-gpgpu_const_cache:l1", "constant_l1");
  }

  [[nodiscard]] Options take() { return std::move(options_); }

 private:
  [[nodiscard]] bool known(const std::string& key) const { return topology_->fact(key) != nullptr; }

  void add(std::string option, std::string value, std::initializer_list<std::string> sources) {
    options_.complete.push_back({std::move(option), std::move(value)});
    options_.sources.insert(sources);
  }

  /// The fact's value as an integer, or "?".
  [[nodiscard]] std::string rounded(const std::string& key) const {
    const auto number = topology_->value<double>(key);
    return number ? std::to_string(std::llround(*number)) : "?";
  }

  void add_capability() {
    const auto capability = topology_->value<std::string>("device.compute_capability");
    if (!capability) return;
    const std::string major = capability->substr(0, capability->find('.'));
    const std::string minor = capability->substr(capability->find('.') + 1);
    for (const char* option :
         {"-gpgpu_ptx_force_max_capability", "-gpgpu_occupancy_sm_number", "-gpgpu_coalesce_arch"}) {
      add(option, major + minor, {"device.compute_capability"});
    }
    add("-gpgpu_compute_capability_major", major, {});
    add("-gpgpu_compute_capability_minor", minor, {});
  }

  void add_copied(const char* option, const char* key) {
    if (known(key)) add(option, rounded(key), {key});
  }

  void add_difference(const Difference& difference) {
    const auto farther = topology_->value<double>(difference.farther);
    const auto nearer = topology_->value<double>(difference.nearer);
    if (!farther || !nearer) return;
    add(difference.option, std::to_string(std::llround(*farther - *nearer)), {difference.farther, difference.nearer});
  }

  void add_threads() {
    const auto warps = topology_->rounded("device.max_warps_per_sm");
    const auto lanes = topology_->rounded("device.warp_size");
    if (!warps || !lanes) return;
    add("-gpgpu_shader_core_pipeline", std::to_string(*warps * *lanes) + ":" + std::to_string(*lanes),
        {"device.max_warps_per_sm", "device.warp_size"});
  }

  void add_units(const Units& units) {
    const std::string kind(units.kind);
    const std::string latency = std::to_string(units.latency);
    const std::string initiation = std::to_string(units.initiation);
    add("-gpgpu_num_" + kind + "_units", std::to_string(units.count), {units.source + ".issue_latency"});
    add("-trace_opcode_latency_initiation_" + kind, latency + "," + initiation, {units.source + ".completion_latency"});
    if (kind != "sfu") return;
    add("-ptx_opcode_latency_sfu", latency, {});
    add("-ptx_opcode_initiation_sfu", initiation, {});
  }

  /// SM, interconnect, L2 and DRAM, in MHz.
  void add_clocks() {
    const auto clock = topology_->value<double>("device.sm_clock");
    if (clock)
      options_.partial.push_back({"-gpgpu_clock_domains", std::to_string(std::llround(*clock / 1e6)) + ":?:?:?"});
  }

  /// Of ADD, MAX, MUL, MAD and DIV.
  void add_ptx_latencies() {
    constexpr std::array types{std::array{"int", "int32_add", "int32_mad"}, std::array{"fp", "fp32_add", "fp32_fma"},
                               std::array{"dp", "fp64_add", "fp64_fma"}};
    for (const auto& [type, sum, product] : types) {
      const std::string of_sum = rounded(std::string("instruction.") + sum + ".completion_latency");
      const std::string of_product = rounded(std::string("instruction.") + product + ".completion_latency");
      if (of_sum == "?" && of_product == "?") continue;
      std::string latencies = of_sum;
      latencies.append(",?,?,").append(of_product).append(",?");
      options_.partial.push_back({std::string("-ptx_opcode_latency_") + type, std::move(latencies)});
    }
  }

  /// Sets, line and ways are known; policies of writes, requests in flight and widths are not.
  void add_cache(const char* option, const std::string& key) {
    if (!known(key + ".sets") || !known(key + ".ways")) return;
    const auto line = topology_->rounded(key + ".line_size");
    const auto sector = topology_->rounded(key + ".sector_size");
    const std::string type = !line || !sector ? "?" : *sector < *line ? "S" : "N";
    const auto policy = topology_->value<std::string>(key + ".replacement").value_or("");
    const std::string replacement = policy == "lru" ? "L" : policy == "fifo" ? "F" : "?";
    options_.partial.push_back({option, type + ":" + rounded(key + ".sets") + ":" + rounded(key + ".line_size") + ":" +
                                            rounded(key + ".ways") + "," + replacement + ":?:?:?:?,?:?:?,?"});
  }

  const Topology* topology_;
  Options options_;
};

}  // namespace

Options options_of(const Topology& topology) { return Collector(topology).take(); }

}  // namespace tomograph::accel_sim
