#ifndef KERNELS_HPP
#define KERNELS_HPP

#include <cuda_runtime_api.h>

#include <cstdint>

/// Starts a kernel that times `operations` atomic adds on one word of shared memory, each dependent on the one before,
/// and repeats this `repetitions` times. The first repetition also loads the code. The kernel writes repetitions + 1
/// words of device memory: the cycles of each repetition, and one word without meaning.
cudaError_t time_atomics(std::uint32_t operations, std::uint32_t repetitions, std::uint32_t* cycles,
                         cudaStream_t stream);

#endif
