#include "sim/gpu/api_facts.hpp"

#include <algorithm>
#include <array>

#include "sim/gpu/description.hpp"
#include "sim/gpu/section.hpp"

namespace tomograph::sim {

std::span<const ApiKey> api_keys() {
  static constexpr std::array keys{
      ApiKey{"device.name", "", true},
      ApiKey{"device.uuid", "", true},
      ApiKey{"device.compute_capability", "", true},
      ApiKey{"device.sm_count", "1", false},
      ApiKey{"device.sm_clock", "Hz", false},
      ApiKey{"device.memory_clock", "Hz", false},
      ApiKey{"device.memory_bus", "1", false},
      ApiKey{"dram.size", "B", false},
      ApiKey{"dram.free", "B", false},
      ApiKey{"device.warp_size", "1", false},
      ApiKey{"device.shared_memory_per_sm", "B", false},
      ApiKey{"device.max_shared_memory_per_block", "B", false},
      ApiKey{"device.reserved_shared_memory_per_block", "B", false},
      ApiKey{"device.max_warps_per_sm", "1", false},
      ApiKey{"device.max_blocks_per_sm", "1", false},
      ApiKey{"device.registers_per_sm", "1", false},
      ApiKey{"device.registers_per_block", "1", false},
      ApiKey{"device.max_threads_per_block", "1", false},
      ApiKey{"device.cores_per_sm", "1", false},
      ApiKey{"device.shared_memory_per_block", "B", false},
      ApiKey{"device.constant_memory", "B", false},
      ApiKey{"device.pci_bus_id", "", true},
      ApiKey{"device.driver_version", "", true},
      ApiKey{"l1_data.nominal_size", "B", false},
      ApiKey{"l2.nominal_size", "B", false},
      ApiKey{"l2.max_persisting_size", "B", false},
      ApiKey{"dram.bandwidth.theoretical", "B/s", false},
      ApiKey{"device.link_type", "", true},
      ApiKey{"device.link_version", "", true},
      ApiKey{"device.link_width", "1", false},
      ApiKey{"device.host_link_type", "", true},
      ApiKey{"device.host_link_version", "", true},
      ApiKey{"device.host_link_width", "1", false},
  };
  return keys;
}

std::vector<ApiFact> read_api(const Section& section) {
  std::vector<ApiFact> facts;
  for (const ApiKey& known : api_keys()) {
    if (!section.has(known.key)) continue;
    if (known.is_text) {
      facts.push_back({known.key, section.text(known.key)});
    } else {
      facts.push_back({known.key, section.integer(known.key)});
    }
  }
  return facts;
}

std::vector<ApiFact> api_facts(const Gpu& gpu) {
  std::vector<ApiFact> facts{
      {"device.name", gpu.name}, {"device.sm_count", gpu.sm_count}, {"device.sm_clock", gpu.sm_clock_mhz * 1'000'000}};
  for (const char* key : {"dram.size", "dram.free"}) {
    if (gpu.dram.size) facts.push_back({key, *gpu.dram.size});
  }
  for (const ApiFact& stated : gpu.api) {
    const auto implied = std::ranges::find(facts, stated.key, &ApiFact::key);
    if (implied == facts.end()) {
      facts.push_back(stated);
    } else {
      implied->value = stated.value;
    }
  }
  return facts;
}

}  // namespace tomograph::sim
