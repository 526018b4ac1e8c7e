#include "cuda/facts.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/cuda/device.hpp"
#include "tomograph/cuda/memory.hpp"

namespace tomograph::cuda {

namespace {

constexpr std::int64_t kilo = 1000;

struct NumberFact {
  const char* key;
  const char* unit;
  cudaDeviceAttr attribute;
  std::int64_t factor;
};

constexpr std::array numbers{
    NumberFact{"device.sm_count", "1", cudaDevAttrMultiProcessorCount, 1},
    NumberFact{"device.sm_clock", "Hz", cudaDevAttrClockRate, kilo},
    NumberFact{"device.memory_clock", "Hz", cudaDevAttrMemoryClockRate, kilo},
    NumberFact{"device.memory_bus", "1", cudaDevAttrGlobalMemoryBusWidth, 1},
    NumberFact{"device.warp_size", "1", cudaDevAttrWarpSize, 1},
    NumberFact{"device.max_blocks_per_sm", "1", cudaDevAttrMaxBlocksPerMultiprocessor, 1},
    NumberFact{"device.registers_per_sm", "1", cudaDevAttrMaxRegistersPerMultiprocessor, 1},
    NumberFact{"device.registers_per_block", "1", cudaDevAttrMaxRegistersPerBlock, 1},
    NumberFact{"device.max_threads_per_block", "1", cudaDevAttrMaxThreadsPerBlock, 1},
    NumberFact{"device.shared_memory_per_sm", "B", cudaDevAttrMaxSharedMemoryPerMultiprocessor, 1},
    NumberFact{"device.shared_memory_per_block", "B", cudaDevAttrMaxSharedMemoryPerBlock, 1},
    NumberFact{"device.max_shared_memory_per_block", "B", cudaDevAttrMaxSharedMemoryPerBlockOptin, 1},
    NumberFact{"device.reserved_shared_memory_per_block", "B", cudaDevAttrReservedSharedMemoryPerBlock, 1},
    NumberFact{"device.constant_memory", "B", cudaDevAttrTotalConstantMemory, 1},
    NumberFact{"l2.nominal_size", "B", cudaDevAttrL2CacheSize, 1},
    NumberFact{"l2.max_persisting_size", "B", cudaDevAttrMaxPersistingL2CacheSize, 1},
};

struct SwitchFact {
  const char* key;
  cudaDeviceAttr attribute;
};

constexpr std::array switches{
    SwitchFact{"device.ecc", cudaDevAttrEccEnabled},
    SwitchFact{"device.global_l1_supported", cudaDevAttrGlobalL1CacheSupported},
    SwitchFact{"device.local_l1_supported", cudaDevAttrLocalL1CacheSupported},
    SwitchFact{"device.concurrent_kernels", cudaDevAttrConcurrentKernels},
    SwitchFact{"device.cooperative_launch", cudaDevAttrCooperativeLaunch},
};

/// "13.0" for 13000.
std::string version(int number) { return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10); }

void publish_identity(const Session& session, int device) {
  constexpr const char* method = "cudaGetDeviceProperties";
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "reading the properties of the device");
  publish_api_fact(session, "device.name", properties.name, "", method);
  publish_api_fact(session, "device.uuid", uuid_of(properties), "", method);
  publish_api_fact(session, "device.compute_capability",
                   std::to_string(properties.major) + "." + std::to_string(properties.minor), "", method);
  publish_api_fact(session, "device.pci_bus_id", pci_bus_id(device), "", "cudaDeviceGetPCIBusId");
  publish_api_fact(session, "device.mig", is_mig(properties), "", method);
  publish_api_fact(session, "dram.size", static_cast<std::int64_t>(properties.totalGlobalMem), "B", method);
}

/// Whether this process has the GPU as NVML knows it: a MIG instance and a client of MPS may have some of its SMs only.
bool has_whole_gpu(int device) {
  constexpr auto mps_enabled =
      static_cast<cudaDeviceAttr>(133);  // cudaDevAttrMpsEnabled, which CUDA 12.0 does not name
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "reading the properties of the device");
  int has_mps = 0;
  if (cudaDeviceGetAttribute(&has_mps, mps_enabled, device) != cudaSuccess) static_cast<void>(cudaGetLastError());
  return !is_mig(properties) && has_mps == 0;
}

/// Memory that other processes hold is not available to this one.
void publish_free_memory(const Session& session) {
  publish_api_fact(session, "dram.free", static_cast<std::int64_t>(free_memory()), "B", "cudaMemGetInfo");
}

void publish_versions(const Session& session) {
  int driver = 0;
  int runtime = 0;
  check(cudaDriverGetVersion(&driver), "reading the version of the driver");
  check(cudaRuntimeGetVersion(&runtime), "reading the version of the runtime");
  publish_api_fact(session, "device.driver", version(driver), "", "cudaDriverGetVersion");
  publish_api_fact(session, "device.runtime", version(runtime), "", "cudaRuntimeGetVersion");
}

}  // namespace

void publish_api_fact(const Session& session, const char* key, Value value, const char* unit, const char* method) {
  session.publish({.key = key,
                   .value = std::move(value),
                   .method = method,
                   .confidence = confidence::vendor,
                   .samples = 1,
                   .source = TOMOGRAPH_API},
                  unit);
}

std::string pci_bus_id(int device) {
  std::array<char, 32> text{};
  check(cudaDeviceGetPCIBusId(text.data(), static_cast<int>(text.size()), device), "asking for the PCI bus id");
  return text.data();
}

void publish_nvml_facts(const Session& session, const Nvml& nvml, int device) {
  if (const auto version = nvml.driver_version()) {
    publish_api_fact(session, "device.driver_version", *version, "", "nvmlSystemGetDriverVersion");
  }
  if (!has_whole_gpu(device)) return;
  if (const auto processes = nvml.processes()) {
    publish_api_fact(session, "device.other_processes", *processes, "1", "nvmlDeviceGetComputeRunningProcesses");
  }
  if (const auto cores = nvml.cores()) {
    const std::int64_t sms = attribute(cudaDevAttrMultiProcessorCount, device);
    publish_api_fact(session, "device.cores_per_sm", *cores / sms, "1", "nvmlDeviceGetNumGpuCores");
  }
}

void publish_facts(const Session& session, int device) {
  constexpr const char* method = "cudaDeviceGetAttribute";
  publish_identity(session, device);
  publish_free_memory(session);
  publish_versions(session);
  for (const NumberFact& fact : numbers) {
    publish_api_fact(session, fact.key, attribute(fact.attribute, device) * fact.factor, fact.unit, method);
  }
  const std::int64_t warps =
      attribute(cudaDevAttrMaxThreadsPerMultiProcessor, device) / attribute(cudaDevAttrWarpSize, device);
  publish_api_fact(session, "device.max_warps_per_sm", warps, "1", method);
  for (const SwitchFact& fact : switches) {
    publish_api_fact(session, fact.key, attribute(fact.attribute, device) != 0, "", method);
  }
  // Double data rate: two transfers per clock on every line of the bus.
  const double bandwidth = 2.0 * static_cast<double>(attribute(cudaDevAttrMemoryClockRate, device) * kilo) *
                           static_cast<double>(attribute(cudaDevAttrGlobalMemoryBusWidth, device)) / 8.0;
  publish_api_fact(session, "dram.bandwidth.theoretical", bandwidth, "B/s", method);
}

}  // namespace tomograph::cuda
