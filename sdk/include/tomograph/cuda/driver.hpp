#ifndef TOMOGRAPH_CUDA_DRIVER_HPP
#define TOMOGRAPH_CUDA_DRIVER_HPP

#include <cuda_runtime_api.h>

namespace tomograph::cuda {

/// The driver's function called `name`, as of CUDA 12.0, or null if there is none. It is found through the runtime, so
/// that a plugin links no driver library and loads where there is no driver.
template <typename Function>
[[nodiscard]] Function driver_function(const char* name) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
  constexpr unsigned int version = 12000;
  const cudaError_t error = cudaGetDriverEntryPointByVersion(name, &entry, version, cudaEnableDefault, &found);
#else
  const cudaError_t error = cudaGetDriverEntryPoint(name, &entry, cudaEnableDefault, &found);
#endif
  if (error != cudaSuccess) static_cast<void>(cudaGetLastError());
  const bool exists = error == cudaSuccess && found == cudaDriverEntryPointSuccess;
  return exists ? reinterpret_cast<Function>(entry) : nullptr;
}

}  // namespace tomograph::cuda

#endif
