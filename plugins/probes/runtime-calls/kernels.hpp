#ifndef TOMOGRAPH_RUNTIME_CALLS_KERNELS_HPP
#define TOMOGRAPH_RUNTIME_CALLS_KERNELS_HPP

#include <cuda_runtime_api.h>

#include <cstdint>

/// The interface of the kernels. Pointers are device addresses.
namespace tomograph::runtime_calls {

/// Starts a kernel of one thread, which waits until the host sets `gate`, for 0.1 s at most, and then sets two words
/// to 1 for the host to see. Addresses may be null. Returns the error of the launch, and does not wait for the end.
cudaError_t launch_teller(std::uint32_t* gate, std::uint32_t* one, std::uint32_t* other, cudaStream_t stream);

}  // namespace tomograph::runtime_calls

#endif
