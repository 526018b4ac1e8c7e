// Another program on the GPU: streams through memory, or only fills it, until it is killed.
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "neighbour: %s\n", cudaGetErrorString(error));
  std::exit(EXIT_FAILURE);
}

__global__ void stream(uint4* words, std::size_t count) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) words[i].x += 1;
}

uint4* allocate(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes));
  std::printf("neighbour: has %zu B\n", bytes);
  std::fflush(stdout);
  return static_cast<uint4*>(memory);
}

std::size_t free_memory() {
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total));
  return free;
}

void stream_share(double share) {
  const auto bytes = static_cast<std::size_t>(share * static_cast<double>(free_memory()));
  uint4* const words = allocate(bytes);
  for (;;) {
    stream<<<2048, 512>>>(words, bytes / sizeof(uint4));
    stream<<<2048, 512>>>(words, bytes / sizeof(uint4));
    check(cudaDeviceSynchronize());
  }
}

void fill_but(double gigabytes) {
  const std::size_t free = free_memory();
  const auto left = static_cast<std::size_t>(gigabytes * 1e9);
  if (left < free) allocate(free - left);
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 3 && std::strcmp(arguments[1], "stream") == 0) stream_share(std::atof(arguments[2]));
  if (count == 3 && std::strcmp(arguments[1], "fill") == 0) fill_but(std::atof(arguments[2]));
  std::fprintf(stderr, "usage: neighbour stream SHARE | fill GIGABYTES_LEFT\n");
  return EXIT_FAILURE;
}
