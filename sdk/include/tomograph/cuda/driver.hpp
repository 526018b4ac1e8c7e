#ifndef TOMOGRAPH_CUDA_DRIVER_HPP
#define TOMOGRAPH_CUDA_DRIVER_HPP

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "tomograph/cuda/error.hpp"

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

/// `check` of error.hpp for what a function of the driver returned: the runtime has the same numbers.
inline void check_driver(CUresult result, const char* what) { check(static_cast<cudaError_t>(result), what); }

}  // namespace tomograph::cuda

#endif
