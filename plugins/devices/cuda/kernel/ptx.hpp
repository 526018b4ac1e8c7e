#ifndef TOMOGRAPH_CUDA_KERNEL_PTX_HPP
#define TOMOGRAPH_CUDA_KERNEL_PTX_HPP

#include <cstdint>
#include <string>

#include "tomograph/kernel.hpp"

namespace tomograph::cuda {

/// Name of the entry of every generated kernel.
inline constexpr const char* kernel_entry = "kernel";

/// Bytes of shared memory that a CTA of generated code uses: words of its own, then one word per thread.
inline constexpr std::int64_t kernel_shared_words = 4;

/// PTX of a kernel, which must keep the rules of abi/kernel.h. `compute_capability` is 90 for 9.0. The text depends on
/// the instructions, their patterns, needs and widths only: sizes, strides and numbers of warps are parameters, so that
/// one module serves many kernels. The parameters are the fields of KernelTask, then KernelAccess for each instruction.
[[nodiscard]] std::string ptx_of(const kernel::Kernel& kernel, std::int64_t compute_capability);

}  // namespace tomograph::cuda

#endif
