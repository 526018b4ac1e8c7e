#ifndef TOMOGRAPH_CUDA_NEIGHBOURS_KERNELS_HPP
#define TOMOGRAPH_CUDA_NEIGHBOURS_KERNELS_HPP

#include <cuda_runtime_api.h>

#include <cstdint>

namespace tomograph::cuda {

/// Looks at the clock for `cycles`, or until two looks are at least `gap` apart. `*longest` receives the longest time
/// between two looks.
[[nodiscard]] cudaError_t launch_clock_watch(std::uint64_t cycles, std::uint64_t gap, std::uint64_t* longest,
                                             cudaStream_t stream);

}  // namespace tomograph::cuda

#endif
