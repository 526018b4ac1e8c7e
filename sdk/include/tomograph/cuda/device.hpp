#ifndef TOMOGRAPH_CUDA_DEVICE_HPP
#define TOMOGRAPH_CUDA_DEVICE_HPP

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "tomograph/cuda/error.hpp"

/// For executors on the device "cuda".
namespace tomograph::cuda {

/// Makes the GPU that `target` of the device "cuda" names, e.g. "0", the current one. Returns its number.
/// @throws Refused (INVALID) if `target` is not a number, DeviceLost, std::runtime_error.
inline int select(std::string_view target) {
  int device = -1;
  const auto [end, error] = std::from_chars(target.data(), target.data() + target.size(), device);
  if (error != std::errc{} || end != target.data() + target.size()) {
    throw Refused(TOMOGRAPH_INVALID, "the target \"" + std::string(target) + "\" is not the number of a GPU");
  }
  check(cudaSetDevice(device), "selecting the device");
  return device;
}

/// An attribute of a GPU. @throws std::runtime_error.
inline std::int64_t attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, device), "asking for an attribute of the device");
  return value;
}

/// The same for kernels that need compute capability `major`.`minor`. @throws Refused (UNSUPPORTED) if it is lower.
inline int select(std::string_view target, int major, int minor) {
  const int device = select(target);
  const std::int64_t own_major = attribute(cudaDevAttrComputeCapabilityMajor, device);
  const std::int64_t own_minor = attribute(cudaDevAttrComputeCapabilityMinor, device);
  if (own_major > major || (own_major == major && own_minor >= minor)) return device;
  throw Refused(TOMOGRAPH_UNSUPPORTED,
                "needs compute capability " + std::to_string(major) + "." + std::to_string(minor));
}

}  // namespace tomograph::cuda

#endif
