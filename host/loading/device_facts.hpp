#ifndef TOMOGRAPH_HOST_LOADING_DEVICE_FACTS_HPP
#define TOMOGRAPH_HOST_LOADING_DEVICE_FACTS_HPP

#include <span>
#include <string_view>

#include "loading/description.hpp"

/// The facts that devices publish when they are opened. Devices do not declare them.
namespace tomograph::host {

/// A fact whose meaning is the same for all devices.
struct DeviceFact {
  std::string_view key;
  ValueType type;
  std::string_view unit;
  double least = 0;  ///< of a number
};

/// All such facts. devices.md of the SDK describes those that probes need.
[[nodiscard]] std::span<const DeviceFact> device_facts();

/// The one with this key, or null. Devices may also publish facts of their own.
[[nodiscard]] const DeviceFact* find_device_fact(std::string_view key);

/// Whether a device may publish a fact with this key: one about the device as a whole, or a vendor-reported value next
/// to a measured one ("l2.nominal_size" for "l2.size", "dram.bandwidth.theoretical" for "dram.bandwidth.read").
[[nodiscard]] bool is_device_fact(std::string_view key);

}  // namespace tomograph::host

#endif
