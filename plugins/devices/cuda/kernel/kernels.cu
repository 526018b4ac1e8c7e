#include "cuda/kernel/kernels.hpp"

namespace tomograph::cuda {

namespace {

constexpr std::uint32_t sector_words = 8;
constexpr std::uint32_t unlikely_sum = 0x9e3779b9;

__global__ void read(const std::uint32_t* words, std::uint64_t sectors, std::uint32_t* sink) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  std::uint32_t sum = 0;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < sectors; i += step) {
    sum += __ldcg(words + i * sector_words);
  }
  if (sum == unlikely_sum) *sink = sum;
}

}  // namespace

cudaError_t launch_read(const std::uint32_t* words, std::uint64_t bytes, std::uint32_t* sink, cudaStream_t stream) {
  constexpr int ctas = 1024;
  constexpr int threads = 256;
  read<<<ctas, threads, 0, stream>>>(words, bytes / (sector_words * sizeof(std::uint32_t)), sink);
  return cudaGetLastError();
}

}  // namespace tomograph::cuda
