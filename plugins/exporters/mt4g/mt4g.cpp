#include "mt4g.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "values.hpp"

namespace tomograph::mt4g {

namespace {

/// A group of the report.
class Group {
 public:
  /// A member that readers rely on. `key` is the fact behind it.
  void need(const char* name, const std::string& key, Json value) {
    if (value.is_null()) missing_.push_back(key);
    add(name, std::move(value));
  }
  /// A member that may be absent.
  void add(const char* name, Json value) {
    if (!value.is_null()) members_[name] = std::move(value);
  }

  [[nodiscard]] const std::vector<std::string>& missing() const { return missing_; }
  [[nodiscard]] const Json& members() const { return members_; }

 private:
  Json members_ = Json::object();
  std::vector<std::string> missing_;
};

Group general(const Topology& topology) {
  Group group;
  group.need("name", "device.name", plain(topology, "device.name"));
  // MT4G knows two vendors, of which only NVIDIA's devices have a compute capability.
  if (const auto capability = version(topology, "device.compute_capability")) {
    group.add("vendor", "NVIDIA");
    group.add("computeCapability", {{"major", capability->first}, {"minor", capability->second}});
  } else {
    group.need("computeCapability", "device.compute_capability", {});
  }
  group.need("clockRate", "device.sm_clock", kilohertz(topology, "device.sm_clock"));
  return group;
}

Json threads_per_sm(const Topology& topology) {
  const auto warps = topology.rounded("device.max_warps_per_sm");
  const auto threads = topology.rounded("device.warp_size");
  return warps && threads ? Json(*warps * *threads) : Json();
}

Group compute(const Topology& topology) {
  Group group;
  const auto need = [&](const char* name, const char* key) { group.need(name, key, plain(topology, key)); };
  const auto add = [&](const char* name, const char* key) { group.add(name, plain(topology, key)); };
  need("multiProcessorCount", "device.sm_count");
  need("numberOfCoresPerMultiProcessor", "device.cores_per_sm");
  need("maxThreadsPerBlock", "device.max_threads_per_block");
  need("warpSize", "device.warp_size");
  need("maxBlocksPerMultiProcessor", "device.max_blocks_per_sm");
  group.need("maxThreadsPerMultiProcessor", "device.max_warps_per_sm", threads_per_sm(topology));
  add("regsPerBlock", "device.registers_per_block");
  add("regsPerMultiProcessor", "device.registers_per_sm");
  add("concurrentKernels", "device.concurrent_kernels");
  add("supportsCooperativeLaunch", "device.cooperative_launch");
  return group;
}

/// Readers take latency and both bandwidths for granted if one of them is there.
void add_latency_and_bandwidth(Group& group, const Topology& topology, const std::string& key) {
  const Json cycles = latency(topology, key + ".latency");
  const Json read = bandwidth(topology, key + ".bandwidth.read");
  const Json write = bandwidth(topology, key + ".bandwidth.write");
  if (cycles.is_null() || read.is_null() || write.is_null()) return;
  group.add("latency", cycles);
  group.add("readBandwidth", read);
  group.add("writeBandwidth", write);
}

Group main_memory(const Topology& topology) {
  Group group;
  group.need("totalGlobalMem", "dram.size", reported_bytes(topology, "dram.size"));
  group.need("memoryClockRate", "device.memory_clock", kilohertz(topology, "device.memory_clock"));
  group.need("memoryBusWidth", "device.memory_bus", bits(topology, "device.memory_bus"));
  add_latency_and_bandwidth(group, topology, "dram");
  return group;
}

/// What MT4G measures of every cache and readers may do without.
void add_geometry(Group& group, const Topology& topology, const std::string& key) {
  group.add("lineSize", measured_bytes(topology, key + ".line_size"));
  group.add("missPenalty", cycles(topology, key + ".miss_penalty"));
}

/// MT4G's size of the L2 is the reported one; the measured one of a partition is its segmentSize.
Group l2(const Topology& topology) {
  Group group;
  const Json reported = reported_bytes(topology, "l2.nominal_size");
  group.need("size", "l2.size", reported.is_null() ? reported_bytes(topology, "l2.size") : reported);
  group.add("segmentSize", measured_bytes(topology, "l2.partition.size"));
  group.add("fetchGranularity", measured_bytes(topology, "l2.fetch_granularity"));
  group.add("persistingL2CacheMaxSize", reported_bytes(topology, "l2.max_persisting_size"));
  add_geometry(group, topology, "l2");
  add_latency_and_bandwidth(group, topology, "l2");
  return group;
}

/// A cache within an SM.
Group cache(const Topology& topology, const std::string& key) {
  Group group;
  group.need("size", key + ".size", measured_bytes(topology, key + ".size"));
  group.need("fetchGranularity", key + ".fetch_granularity", measured_bytes(topology, key + ".fetch_granularity"));
  group.need("latency", key + ".latency", latency(topology, key + ".latency"));
  group.add("amountPerMultiprocessor", plain(topology, key + ".per_sm"));
  group.add("sharedWith", cache_names(topology, key + ".shared_with"));
  group.add("readBandwidth", bandwidth(topology, key + ".bandwidth.read"));
  group.add("writeBandwidth", bandwidth(topology, key + ".bandwidth.write"));
  add_geometry(group, topology, key);
  return group;
}

Group l1(const Topology& topology) {
  Group group = cache(topology, "l1_data");
  group.add("globalL1CacheSupported", plain(topology, "device.global_l1_supported"));
  group.add("localL1CacheSupported", plain(topology, "device.local_l1_supported"));
  return group;
}

Group shared(const Topology& topology) {
  Group group;
  const auto need = [&](const char* name, const char* key) { group.need(name, key, reported_bytes(topology, key)); };
  need("sharedMemPerBlock", "device.shared_memory_per_block");
  need("sharedMemPerMultiProcessor", "device.shared_memory_per_sm");
  group.add("reservedSharedMemPerBlock", reported_bytes(topology, "device.reserved_shared_memory_per_block"));
  group.add("latency", latency(topology, "shared.latency"));
  group.add("readBandwidth", bandwidth(topology, "shared.bandwidth.read"));
  group.add("writeBandwidth", bandwidth(topology, "shared.bandwidth.write"));
  return group;
}

class Writer {
 public:
  explicit Writer(const Topology& topology) : topology_(&topology) {
    add("/general", general(topology));
    add("/compute", compute(topology));
    add("/memory/main", main_memory(topology));
    add("/memory/l2", l2(topology));
    add("/memory/l1", l1(topology));
    add("/memory/texture", cache(topology, "texture"));
    add("/memory/readOnly", cache(topology, "read_only"));
    add("/memory/shared", shared(topology));
    add_constant();
    add_meta();
  }

  [[nodiscard]] Report report() const {
    Report report{report_.dump(4) + "\n", {}};
    for (const auto& [group, facts] : left_out_.items()) {
      report.left_out.push_back(group + " is left out, because these facts are not known: " + facts.dump());
    }
    return report;
  }

 private:
  void add(const std::string& path, const Group& group) {
    if (group.missing().empty()) {
      report_[Json::json_pointer(path)] = group.members();
    } else {
      left_out_[path.substr(1)] = group.missing();
    }
  }

  /// Readers expect both caches or none, and without them the total.
  void add_constant() {
    const Group l1 = cache(*topology_, "constant_l1");
    const Group l15 = cache(*topology_, "constant_l15");
    Group constant;
    const Json total = reported_bytes(*topology_, "device.constant_memory");
    if (l1.missing().empty() && l15.missing().empty()) {
      constant.add("l1", l1.members());
      constant.add("l1.5", l15.members());
      constant.add("totalConstMem", total);
    } else {
      constant.need("totalConstMem", "device.constant_memory", total);
      std::vector<std::string> missing = l1.missing();
      missing.insert(missing.end(), l15.missing().begin(), l15.missing().end());
      left_out_["memory/constant/l1"] = left_out_["memory/constant/l1.5"] = missing;
    }
    add("/memory/constant", constant);
  }

  void add_meta() {
    Json meta{{"leftOut", left_out_}};
    for (const char* name : {"driver", "runtime"}) {
      const auto number = version(*topology_, std::string("device.") + name);
      // As CUDA counts: 12.8 is 12080.
      if (number) meta[name] = number->first * 1000 + number->second * 10;
    }
    const Value& provenance = topology_->provenance();
    const auto add = [&](const char* member, const Value& table, const char* name) {
      if (table.contains(name)) meta[member] = table.at(name).get<std::string>();
    };
    add("timestamp", provenance, "started");
    if (provenance.contains("tool")) add("hostCompiler", provenance.at("tool"), "compiler");
    if (provenance.contains("machine")) {
      add("hostCpu", provenance.at("machine"), "cpu");
      add("os", provenance.at("machine"), "kernel");
    }
    report_["meta"] = meta;
  }

  const Topology* topology_;
  Json report_ = Json::object();
  Json left_out_ = Json::object();
};

}  // namespace

Report report_of(const Topology& topology) { return Writer(topology).report(); }

}  // namespace tomograph::mt4g
