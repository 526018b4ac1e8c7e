#ifndef TOMOGRAPH_CUDA_DEVICE_HPP
#define TOMOGRAPH_CUDA_DEVICE_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tomograph/cuda/error.hpp"

/// For executors on the device "cuda".
namespace tomograph::cuda {

/// GPUs that this process may use, 0 if there is none or no driver.
/// @throws DeviceLost, std::runtime_error with CUDA's reason if there is a driver, but it does not work.
inline int device_count() {
  int count = 0;
  int driver = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  const bool has_driver = cudaDriverGetVersion(&driver) == cudaSuccess && driver != 0;
  if (error == cudaErrorNoDevice || (error != cudaSuccess && !has_driver)) {
    static_cast<void>(cudaGetLastError());
    return 0;
  }
  check(error, "counting the GPUs");
  return count;
}

/// Whether a GPU is a MIG instance, a part of a GPU. The runtime tells this by the name only: "... MIG 1g.18gb".
[[nodiscard]] inline bool is_mig(const cudaDeviceProp& properties) {
  return std::string_view(properties.name).find(" MIG ") != std::string_view::npos;
}

/// E.g. "GPU-00112233-4455-6677-8899-aabbccddeeff", or "MIG-..." for an instance, as nvidia-smi writes it.
[[nodiscard]] inline std::string uuid_of(const cudaDeviceProp& properties) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text = is_mig(properties) ? "MIG" : "GPU";
  for (std::size_t i = 0; i < sizeof(properties.uuid.bytes); ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(properties.uuid.bytes[i]);
    text += digits[byte / 16U];
    text += digits[byte % 16U];
  }
  return text;
}

/// The number of the GPU that `target` of the device "cuda" names: a number, e.g. "0", or a UUID.
/// @throws Refused (INVALID) if there is no such GPU, and as device_count.
inline int device_named(std::string_view target) {
  const int count = device_count();
  if (count == 0) throw Refused(TOMOGRAPH_INVALID, "no GPU that CUDA can use, or no driver, was found");
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp properties{};
    if (target == std::to_string(device)) return device;
    // One that cannot be read is no reason to refuse another.
    const bool is_readable = cudaGetDeviceProperties(&properties, device) == cudaSuccess;
    if (!is_readable) static_cast<void>(cudaGetLastError());
    if (is_readable && uuid_of(properties) == target) return device;
  }
  throw Refused(TOMOGRAPH_INVALID, "there is no GPU \"" + std::string(target) +
                                       "\", expected a UUID or a number from 0 to " + std::to_string(count - 1));
}

/// Makes the GPU that `target` names the current one. Returns its number.
/// @throws as device_named.
inline int select(std::string_view target) {
  const int device = device_named(target);
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

/// Requires kernels that were compiled for a compute capability, times 10, or a higher one. `built_for` tells theirs,
/// as that of cuda/launch.hpp does. @throws Refused (UNSUPPORTED) if it is lower, std::runtime_error.
inline void expect_built_for(cudaError_t (*built_for)(int* capability), int needed) {
  int capability = 0;
  check(built_for(&capability), "reading the attributes of a kernel");
  if (capability >= needed) return;
  throw Refused(TOMOGRAPH_UNSUPPORTED, "needs a plugin that is built for compute capability " + std::to_string(needed) +
                                           ", and this one is built for " + std::to_string(capability) +
                                           " (CMAKE_CUDA_ARCHITECTURES)");
}

}  // namespace tomograph::cuda

#endif
