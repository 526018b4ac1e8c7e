#ifndef TOMOGRAPH_CUDA_INSTRUCTION_KERNELS_HPP
#define TOMOGRAPH_CUDA_INSTRUCTION_KERNELS_HPP

#include <cstdint>

#include "cuda/occupancy/span.hpp"

namespace tomograph::cuda {

/// Selects a kernel: the type of instruction (0 to 8, as in abi/instruction.h), the number of chains, and the body.
struct InstructionKernel {
  int type;
  int ilp;
  bool long_body;
};

/// Writes what constant loads read. Before the first kernel of that type, on the current device.
cudaError_t fill_constants();

/// Instructions of the type in the kernel's loop.
[[nodiscard]] std::uint32_t body_length(const InstructionKernel& kernel);

/// Allows a kernel `bytes` of shared memory in the largest carve-out. `fixed` receives its static shared memory.
cudaError_t allow_shared(const InstructionKernel& kernel, std::int64_t bytes, std::int64_t& fixed);

cudaError_t launch(const InstructionKernel& kernel, std::uint32_t passes, const Launch& launch);

}  // namespace tomograph::cuda

#endif
