#ifndef TOMOGRAPH_CUDA_NEIGHBOURS_KERNELS_HPP
#define TOMOGRAPH_CUDA_NEIGHBOURS_KERNELS_HPP

#include <cuda_runtime_api.h>

#include <cstdint>

namespace tomograph::cuda {

/// Reads the clock for `cycles`, or until two readings are at least `gap` apart. `*longest` receives the longest time
/// between two readings.
[[nodiscard]] cudaError_t launch_clock_watch(std::uint64_t cycles, std::uint64_t gap, std::uint64_t* longest,
                                             cudaStream_t stream);

}  // namespace tomograph::cuda

#endif
