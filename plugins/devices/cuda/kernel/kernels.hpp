#ifndef TOMOGRAPH_CUDA_KERNEL_KERNELS_HPP
#define TOMOGRAPH_CUDA_KERNEL_KERNELS_HPP

#include <cuda_runtime_api.h>

#include <cstdint>

namespace tomograph::cuda {

/// Reads one word of each sector of `bytes` bytes past the L1 caches, with all SMs. `sink` receives what the compiler
/// must not drop, in a case that hardly occurs.
[[nodiscard]] cudaError_t launch_read(const std::uint32_t* words, std::uint64_t bytes, std::uint32_t* sink,
                                      cudaStream_t stream);

}  // namespace tomograph::cuda

#endif
