#ifndef TOMOGRAPH_CUDA_LAUNCH_HPP
#define TOMOGRAPH_CUDA_LAUNCH_HPP

#include <cuda_runtime.h>

#include <cstdint>

/// Launches kernels from files that nvcc compiles: C++17, and errors are returned.
namespace tomograph::cuda {

/// Shape of a grid.
struct Grid {
  std::uint32_t ctas = 1;
  std::uint32_t threads = 32;
  std::uint32_t dynamic_shared = 0;  ///< bytes for each CTA
  std::uint32_t cluster = 1;         ///< CTAs of a cluster; divides `ctas`
  cudaStream_t stream = nullptr;
};

/// Sets `capability` to the compute capability, times 10, for which `kernel` was compiled. A kernel for a lower one
/// than that of the GPU runs there, but lacks what only the higher one has.
template <typename Kernel>
cudaError_t built_for(Kernel kernel, int* capability) {
  cudaFuncAttributes attributes{};
  const cudaError_t error = cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel));
  *capability = attributes.ptxVersion;
  return error;
}

/// Allows `kernel` `dynamic_shared` bytes of shared memory, the largest carve-out and clusters of any size.
template <typename Kernel>
cudaError_t prepare(Kernel kernel, std::uint32_t dynamic_shared) {
  const auto* function = reinterpret_cast<const void*>(kernel);
  cudaError_t error =
      cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(dynamic_shared));
  if (error != cudaSuccess) return error;
  error =
      cudaFuncSetAttribute(function, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared);
  if (error != cudaSuccess) return error;
  error = cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  if (error == cudaErrorInvalidValue || error == cudaErrorNotSupported) {
    static_cast<void>(cudaGetLastError());
    return cudaSuccess;  // this GPU has no clusters
  }
  return error;
}

namespace detail {

inline cudaLaunchConfig_t configuration(const Grid& grid, cudaLaunchAttribute* attribute) {
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = dim3(grid.ctas);
  configuration.blockDim = dim3(grid.threads);
  configuration.dynamicSmemBytes = grid.dynamic_shared;
  configuration.stream = grid.stream;
  if (grid.cluster == 1) return configuration;
  attribute->id = cudaLaunchAttributeClusterDimension;
  attribute->val.clusterDim.x = grid.cluster;
  attribute->val.clusterDim.y = 1;
  attribute->val.clusterDim.z = 1;
  configuration.attrs = attribute;
  configuration.numAttrs = 1;
  return configuration;
}

}  // namespace detail

/// Starts `kernel`, for which `prepare` was called.
template <typename... Parameters, typename... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), const Grid& grid, const Arguments&... arguments) {
  cudaLaunchAttribute attribute{};
  const cudaLaunchConfig_t configuration = detail::configuration(grid, &attribute);
  return cudaLaunchKernelEx(&configuration, kernel, Parameters(arguments)...);
}

/// Prepares and starts `kernel`.
template <typename... Parameters, typename... Arguments>
cudaError_t prepare_and_launch(void (*kernel)(Parameters...), const Grid& grid, const Arguments&... arguments) {
  const cudaError_t error = prepare(kernel, grid.dynamic_shared);
  return error != cudaSuccess ? error : launch(kernel, grid, arguments...);
}

/// Sets `clusters` to the number of clusters of this shape that the device holds at once, 0 if such a cluster fits
/// nowhere. Ignores `grid.ctas`.
template <typename Kernel>
cudaError_t resident_clusters(Kernel kernel, const Grid& grid, int* clusters) {
  cudaLaunchAttribute attribute{};
  Grid one = grid;
  one.ctas = grid.cluster;
  const cudaLaunchConfig_t configuration = detail::configuration(one, &attribute);
  return cudaOccupancyMaxActiveClusters(clusters, kernel, &configuration);
}

}  // namespace tomograph::cuda

#endif
