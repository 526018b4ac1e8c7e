#include "loading/device_facts.hpp"

#include <algorithm>
#include <array>

namespace tomograph::host {

std::span<const DeviceFact> device_facts() {
  using enum ValueType;
  static constexpr std::array facts{
      DeviceFact{"device.compute_capability", text, ""},
      DeviceFact{"device.concurrent_kernels", boolean, ""},
      DeviceFact{"device.constant_memory", integer, "B"},
      DeviceFact{"device.cooperative_launch", boolean, ""},
      DeviceFact{"device.cores_per_sm", integer, "1"},
      DeviceFact{"device.driver", text, ""},
      DeviceFact{"device.driver_version", text, ""},
      DeviceFact{"device.ecc", boolean, ""},
      DeviceFact{"device.global_l1_supported", boolean, ""},
      DeviceFact{"device.gpu", integer, "1"},
      DeviceFact{"device.gpus", list, ""},
      DeviceFact{"device.host_link_type", text, ""},
      DeviceFact{"device.host_link_version", text, ""},
      DeviceFact{"device.host_link_width", integer, "1"},
      DeviceFact{"device.link_type", text, ""},
      DeviceFact{"device.link_version", text, ""},
      DeviceFact{"device.link_width", integer, "1"},
      DeviceFact{"device.local_l1_supported", boolean, ""},
      DeviceFact{"device.max_blocks_per_sm", integer, "1"},
      DeviceFact{"device.max_shared_memory_per_block", integer, "B"},
      DeviceFact{"device.max_threads_per_block", integer, "1"},
      DeviceFact{"device.max_warps_per_sm", integer, "1", 1},
      DeviceFact{"device.memory_bus", integer, "1"},
      DeviceFact{"device.memory_clock", real, "Hz"},
      DeviceFact{"device.mig", boolean, ""},
      DeviceFact{"device.name", text, ""},
      DeviceFact{"device.native_atomics", list, ""},
      DeviceFact{"device.numa_node", integer, "1"},
      DeviceFact{"device.other_processes", integer, "1"},
      DeviceFact{"device.pci_bus_id", text, ""},
      DeviceFact{"device.peer_access", list, ""},
      DeviceFact{"device.registers_per_block", integer, "1"},
      DeviceFact{"device.registers_per_sm", integer, "1"},
      DeviceFact{"device.reserved_shared_memory_per_block", integer, "B"},
      DeviceFact{"device.runtime", text, ""},
      DeviceFact{"device.shared_memory_per_block", integer, "B"},
      DeviceFact{"device.shared_memory_per_sm", integer, "B"},
      DeviceFact{"device.sm_clock", real, "Hz"},
      DeviceFact{"device.sm_count", integer, "1", 1},
      DeviceFact{"device.uuid", text, ""},
      DeviceFact{"device.warp_size", integer, "1", 1},
      DeviceFact{"dram.bandwidth.theoretical", real, "B/s"},
      DeviceFact{"dram.free", integer, "B"},
      DeviceFact{"dram.size", integer, "B"},
      DeviceFact{"l1_data.nominal_size", integer, "B"},
      DeviceFact{"l2.max_persisting_size", integer, "B"},
      DeviceFact{"l2.nominal_size", integer, "B"},
  };
  return facts;
}

const DeviceFact* find_device_fact(std::string_view key) {
  const auto found = std::ranges::find(device_facts(), key, &DeviceFact::key);
  return found == device_facts().end() ? nullptr : &*found;
}

bool is_device_fact(std::string_view key) {
  const std::string_view last = key.substr(key.rfind('.') + 1);
  return key.starts_with("device.") || last.starts_with("nominal_") || last == "theoretical" ||
         find_device_fact(key) != nullptr;
}

}  // namespace tomograph::host
