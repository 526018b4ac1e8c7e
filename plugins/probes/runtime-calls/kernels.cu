#include "kernels.hpp"

namespace tomograph::runtime_calls {

namespace {

__global__ void tell(volatile std::uint32_t* one, volatile std::uint32_t* other) {
  if (one != nullptr) *one = 1;
  if (other != nullptr) *other = 1;
}

}  // namespace

cudaError_t launch_teller(std::uint32_t* one, std::uint32_t* other, cudaStream_t stream) {
  tell<<<1, 1, 0, stream>>>(one, other);
  return cudaGetLastError();
}

}  // namespace tomograph::runtime_calls
