#ifndef TOMOGRAPH_CUDA_DIVERGENCE_KERNELS_HPP
#define TOMOGRAPH_CUDA_DIVERGENCE_KERNELS_HPP

#include <cstdint>

#include "cuda/occupancy/span.hpp"

namespace tomograph::cuda {

/// Instructions in each branch.
[[nodiscard]] std::uint32_t branch_length(bool long_body);

/// Lets the kernel take up to `bytes` of shared memory, of the largest carve-out; `fixed` becomes what it takes in any
/// case.
cudaError_t allow_divergence_shared(bool long_body, std::int64_t bytes, std::int64_t& fixed);

cudaError_t launch_divergence(bool long_body, std::uint32_t width, std::uint32_t passes, const Launch& launch);

}  // namespace tomograph::cuda

#endif
