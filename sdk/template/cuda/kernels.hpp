#ifndef KERNELS_HPP
#define KERNELS_HPP

#include <cuda_runtime_api.h>

#include <cstdint>

/// Times `operations` atomic adds on one word of shared memory, each dependent on the one before, as often as
/// `repetitions` says; the first repetition also loads the code. Writes repetitions + 1 words of device memory: the
/// cycles of each repetition, and one that means nothing. Does not wait for the end.
cudaError_t time_atomics(std::uint32_t operations, std::uint32_t repetitions, std::uint32_t* cycles);

#endif
