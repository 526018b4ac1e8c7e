#include "infos.hpp"

#include <array>
#include <cstdint>
#include <variant>

namespace tomograph::hwloc {

namespace {

constexpr std::int64_t kibi = 1024;

struct Convention {
  const char* name;
  const char* key;
  std::int64_t unit;
};

/// hwloc, topology-cuda.c.
constexpr std::array conventions{
    Convention{"CUDAGlobalMemorySize", "dram.size", kibi},
    Convention{"CUDAL2CacheSize", "l2.nominal_size", kibi},
    Convention{"CUDAMultiProcessors", "device.sm_count", 1},
    Convention{"CUDACoresPerMP", "device.cores_per_sm", 1},
    Convention{"CUDASharedMemorySizePerMP", "device.shared_memory_per_sm", kibi},
};

bool is_scalar(const Value& value) {
  return !std::holds_alternative<Value::List>(value.content()) &&
         !std::holds_alternative<Value::Table>(value.content());
}

std::string text_of(const KnownFact& fact) {
  if (const auto* text = std::get_if<std::string>(&fact.value.content())) return *text;
  const bool has_unit = !fact.unit.empty() && fact.unit != "1";
  return to_json(fact.value) + (has_unit ? " " + fact.unit : "");
}

}  // namespace

Infos device_infos(const Topology& topology) {
  Infos infos;
  // Only NVIDIA's devices have one.
  if (topology.fact("device.compute_capability") != nullptr) infos.emplace_back("GPUVendor", "NVIDIA Corporation");
  if (const auto name = topology.value<std::string>("device.name")) infos.emplace_back("GPUModel", *name);
  for (const auto& [name, key, unit] : conventions) {
    if (const auto number = topology.rounded(key)) infos.emplace_back(name, std::to_string(*number / unit));
  }
  for (const auto& [key, fact] : topology.facts()) {
    if (is_scalar(fact.value)) infos.emplace_back("tomograph." + key, text_of(fact));
  }
  return infos;
}

}  // namespace tomograph::hwloc
