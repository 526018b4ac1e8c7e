#include "cuda/chase/limits.hpp"

#include "cuda/chase/kernels.hpp"
#include "tomograph/cuda/device.hpp"

namespace tomograph::cuda {

Limits limits_of(int device, std::size_t wave_memory) {
  Limits limits;
  limits.sms = attribute(cudaDevAttrMultiProcessorCount, device);
  limits.shared_per_sm = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
  limits.shared_per_block = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  limits.shared_reserved = attribute(cudaDevAttrReservedSharedMemoryPerBlock, device);
  cudaFuncAttributes kernel{};
  check(chase_attributes(kernel), "loading the chase kernel");
  limits.shared_static = static_cast<std::int64_t>(kernel.sharedSizeBytes);
  limits.jit_compiled = kernel.binaryVersion != kernel.ptxVersion;
  limits.texels = attribute(cudaDevAttrMaxTexture1DLinearWidth, device);
  limits.texture_width = attribute(cudaDevAttrMaxSurface2DWidth, device);
  limits.texture_height = attribute(cudaDevAttrMaxSurface2DHeight, device);
  limits.wave_memory = static_cast<std::int64_t>(wave_memory);
  // Executors of plugins that need memory meanwhile find most of the rest free.
  limits.kept_memory = limits.wave_memory / 4;
  return limits;
}

}  // namespace tomograph::cuda
