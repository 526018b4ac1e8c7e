#ifndef TOMOGRAPH_PLUGINS_CUDA_CARVEOUT_HPP
#define TOMOGRAPH_PLUGINS_CUDA_CARVEOUT_HPP

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>

namespace tomograph::cuda {

/// The carve-out of `bytes` as cudaFuncSetAttribute takes it: in per cent of an SM's shared memory, rounded up. A
/// negative number of bytes stands for the device's default.
[[nodiscard]] inline int carveout_percent(std::int64_t bytes, std::int64_t shared_per_sm) {
  if (bytes < 0) return cudaSharedmemCarveoutDefault;
  return static_cast<int>(std::min<std::int64_t>((100 * bytes + shared_per_sm - 1) / shared_per_sm, 100));
}

}  // namespace tomograph::cuda

#endif
