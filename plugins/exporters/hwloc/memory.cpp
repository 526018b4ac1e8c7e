#include "memory.hpp"

#include <array>
#include <cmath>
#include <string>

namespace tomograph::hwloc {

namespace {

constexpr std::int64_t device_node = 0;
constexpr std::int64_t node_of(std::int64_t sm) { return sm + 1; }

constexpr double bytes_per_mebibyte = 1 << 20;
constexpr double nanoseconds = 1e9;

/// HWLOC_MEMATTR_FLAG_NEED_INITIATOR with HIGHER_FIRST or LOWER_FIRST.
constexpr int higher_first = 5;
constexpr int lower_first = 6;

/// The facts behind hwloc's attributes. The latency of loads is also the general one, since a store has none.
struct Attribute {
  const char* name;
  int flags;
  const char* device_key;
  const char* shared_key;
};
constexpr std::array attributes{
    Attribute{"Bandwidth", higher_first, "dram.bandwidth.copy", "shared.bandwidth.copy"},
    Attribute{"ReadBandwidth", higher_first, "dram.bandwidth.read", "shared.bandwidth.read"},
    Attribute{"WriteBandwidth", higher_first, "dram.bandwidth.write", "shared.bandwidth.write"},
    Attribute{"Latency", lower_first, "dram.latency", "shared.latency"},
    Attribute{"ReadLatency", lower_first, "dram.latency", "shared.latency"},
};

/// The value in hwloc's unit. Cycles are those of the SM at its nominal clock.
std::optional<std::int64_t> in_unit_of_hwloc(const Topology& topology, const char* key) {
  const KnownFact* fact = topology.fact(key);
  if (fact == nullptr) return std::nullopt;
  const auto number = fact->value.get<double>();
  if (fact->unit == "B/s") return std::llround(number / bytes_per_mebibyte);
  const auto clock = topology.value<double>("device.sm_clock");
  if (!clock) return std::nullopt;
  return std::llround(fact->unit == "cycle" ? number / *clock * nanoseconds : number * *clock / bytes_per_mebibyte);
}

std::optional<std::int64_t> shared_size(const Topology& topology) {
  const auto measured = topology.rounded("shared.size_per_sm");
  return measured ? measured : topology.rounded("device.shared_memory_per_sm");
}

Object node(std::int64_t index, Sms sms, std::int64_t size, const char* subtype) {
  return {"NUMANode",
          std::move(sms),
          {{"os_index", std::to_string(index)}, {"subtype", subtype}, {"local_memory", std::to_string(size)}}};
}

}  // namespace

std::optional<Object> device_memory(const Topology& topology) {
  const auto size = topology.rounded("dram.size");
  if (!size) return std::nullopt;
  return node(device_node, all_sms(topology), *size, "GPUMemory");
}

std::optional<Object> shared_memory(const Topology& topology, std::int64_t sm) {
  const auto size = shared_size(topology);
  if (!size) return std::nullopt;
  return node(node_of(sm), {sm}, *size, "Shared");
}

std::vector<MemoryValue> memory_values(const Topology& topology) {
  std::vector<MemoryValue> values;
  const Sms sms = all_sms(topology);
  for (const auto& [name, flags, device_key, shared_key] : attributes) {
    const auto of_device = in_unit_of_hwloc(topology, device_key);
    if (of_device && topology.fact("dram.size") != nullptr) {
      values.push_back({name, flags, sms, device_node, *of_device});
    }
    const auto of_shared = in_unit_of_hwloc(topology, shared_key);
    if (!of_shared || !shared_size(topology)) continue;
    for (const std::int64_t sm : sms) values.push_back({name, flags, {sm}, node_of(sm), *of_shared});
  }
  return values;
}

}  // namespace tomograph::hwloc
