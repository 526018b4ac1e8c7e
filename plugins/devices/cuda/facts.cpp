#include "cuda/facts.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cuda/neighbours/processes.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/cuda/device.hpp"

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
    NumberFact{"device.shared_memory_per_sm", "B", cudaDevAttrMaxSharedMemoryPerMultiprocessor, 1},
    NumberFact{"device.max_shared_memory_per_block", "B", cudaDevAttrMaxSharedMemoryPerBlockOptin, 1},
    NumberFact{"device.reserved_shared_memory_per_block", "B", cudaDevAttrReservedSharedMemoryPerBlock, 1},
    NumberFact{"l2.nominal_size", "B", cudaDevAttrL2CacheSize, 1},
};

void publish(const Session& session, const char* key, Value value, const char* unit, const char* method) {
  session.publish({.key = key,
                   .value = std::move(value),
                   .method = method,
                   .confidence = confidence::vendor,
                   .samples = 1,
                   .source = TOMOGRAPH_API},
                  unit);
}

/// "13.0" for 13000.
std::string version(int number) { return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10); }

std::string uuid_text(const cudaUUID_t& uuid) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = "GPU";
  for (std::size_t i = 0; i < sizeof(uuid.bytes); ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
    text += digits[byte / 16U];
    text += digits[byte % 16U];
  }
  return text;
}

void publish_identity(const Session& session, int device) {
  constexpr const char* method = "cudaGetDeviceProperties";
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "reading the properties of the device");
  const std::string name = properties.name;
  publish(session, "device.name", name, "", method);
  publish(session, "device.uuid", uuid_text(properties.uuid), "", method);
  publish(session, "device.compute_capability",
          std::to_string(properties.major) + "." + std::to_string(properties.minor), "", method);
  // The runtime tells a MIG instance only by its name, "... MIG 1g.18gb".
  publish(session, "device.mig", name.find(" MIG ") != std::string::npos, "", method);
  publish(session, "dram.size", static_cast<std::int64_t>(properties.totalGlobalMem), "B", method);
}

/// Memory that other processes hold is not available to this one.
void publish_free_memory(const Session& session) {
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "reading the size of free memory");
  publish(session, "dram.free", static_cast<std::int64_t>(free), "B", "cudaMemGetInfo");
}

void publish_versions(const Session& session) {
  int driver = 0;
  int runtime = 0;
  check(cudaDriverGetVersion(&driver), "reading the version of the driver");
  check(cudaRuntimeGetVersion(&runtime), "reading the version of the runtime");
  publish(session, "device.driver", version(driver), "", "cudaDriverGetVersion");
  publish(session, "device.runtime", version(runtime), "", "cudaRuntimeGetVersion");
}

}  // namespace

void publish_other_processes(const Session& session, int device) {
  const std::optional<std::int64_t> processes = processes_on(device);
  if (!processes) return;
  publish(session, "device.other_processes", *processes, "1", "nvmlDeviceGetComputeRunningProcesses");
}

void publish_facts(const Session& session, int device) {
  constexpr const char* method = "cudaDeviceGetAttribute";
  publish_identity(session, device);
  publish_free_memory(session);
  publish_versions(session);
  for (const NumberFact& fact : numbers) {
    publish(session, fact.key, attribute(fact.attribute, device) * fact.factor, fact.unit, method);
  }
  const std::int64_t warps =
      attribute(cudaDevAttrMaxThreadsPerMultiProcessor, device) / attribute(cudaDevAttrWarpSize, device);
  publish(session, "device.max_warps_per_sm", warps, "1", method);
  publish(session, "device.ecc", attribute(cudaDevAttrEccEnabled, device) != 0, "", method);
  publish(session, "device.global_l1_supported", attribute(cudaDevAttrGlobalL1CacheSupported, device) != 0, "", method);
  // Double data rate: two transfers per clock on every line of the bus.
  const double bandwidth = 2.0 * static_cast<double>(attribute(cudaDevAttrMemoryClockRate, device) * kilo) *
                           static_cast<double>(attribute(cudaDevAttrGlobalMemoryBusWidth, device)) / 8.0;
  publish(session, "dram.bandwidth.theoretical", bandwidth, "B/s", method);
}

}  // namespace tomograph::cuda
