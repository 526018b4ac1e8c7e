#include "kernels.hpp"
#include "tomograph/cuda/ptx.cuh"

namespace tomograph::runtime_calls {

namespace {

/// Where calls wait for the kernels that they start, the gate never opens.
__device__ void wait_at(const volatile std::uint32_t* gate) {
  constexpr std::uint64_t longest_ns = 100'000'000;  // 80 calls take half a millisecond
  const std::uint64_t begin = cuda::device_nanoseconds();
  while (*gate == 0 && cuda::device_nanoseconds() - begin < longest_ns) {
  }
}

__global__ void tell(const volatile std::uint32_t* gate, volatile std::uint32_t* one, volatile std::uint32_t* other) {
  if (gate != nullptr) wait_at(gate);
  if (one != nullptr) *one = 1;
  if (other != nullptr) *other = 1;
}

}  // namespace

cudaError_t launch_teller(std::uint32_t* gate, std::uint32_t* one, std::uint32_t* other, cudaStream_t stream) {
  tell<<<1, 1, 0, stream>>>(gate, one, other);
  return cudaGetLastError();
}

}  // namespace tomograph::runtime_calls
