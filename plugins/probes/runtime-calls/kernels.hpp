#ifndef TOMOGRAPH_RUNTIME_CALLS_KERNELS_HPP
#define TOMOGRAPH_RUNTIME_CALLS_KERNELS_HPP

#include <cuda_runtime_api.h>

#include <cstdint>

/// The interface of the kernels. Pointers are device addresses.
namespace tomograph::runtime_calls {

/// Starts a kernel of one thread, which sets two words to 1 for the host to see, except where the address is null.
/// Returns the error of the launch, and does not wait for the end.
cudaError_t launch_teller(std::uint32_t* one, std::uint32_t* other, cudaStream_t stream);

}  // namespace tomograph::runtime_calls

#endif
