#ifndef TOMOGRAPH_CUDA_DIVERGENCE_KERNELS_HPP
#define TOMOGRAPH_CUDA_DIVERGENCE_KERNELS_HPP

#include <cstdint>

#include "cuda/occupancy/span.hpp"

namespace tomograph::cuda {

/// Instructions in each branch of a kernel.
[[nodiscard]] std::uint32_t branch_length(bool long_body);

/// Allows the kernel `bytes` of shared memory in the largest carve-out. `fixed` receives its static shared memory.
cudaError_t allow_divergence_shared(bool long_body, std::int64_t bytes, std::int64_t& fixed);

cudaError_t launch_divergence(bool long_body, std::uint32_t width, std::uint32_t passes, const Launch& launch);

}  // namespace tomograph::cuda

#endif
