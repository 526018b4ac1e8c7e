#include "cuda/neighbours/kernels.hpp"
#include "tomograph/cuda/ptx.cuh"

namespace tomograph::cuda {

namespace {

__global__ void watch_clock(std::uint64_t cycles, std::uint64_t gap, std::uint64_t* longest) {
  const std::uint64_t begin = sm_cycles();
  std::uint64_t most = 0;
  for (std::uint64_t last = begin; last - begin < cycles && most < gap;) {
    const std::uint64_t now = sm_cycles();
    most = max(most, now - last);
    last = now;
  }
  *longest = most;
}

}  // namespace

cudaError_t launch_clock_watch(std::uint64_t cycles, std::uint64_t gap, std::uint64_t* longest, cudaStream_t stream) {
  watch_clock<<<1, 1, 0, stream>>>(cycles, gap, longest);
  return cudaGetLastError();
}

}  // namespace tomograph::cuda
