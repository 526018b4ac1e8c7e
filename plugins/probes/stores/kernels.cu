#include "kernels.hpp"
#include "tomograph/cuda/ptx.cuh"

namespace tomograph::stores {

namespace {

__device__ std::uint32_t load(const std::uint32_t* word) {
  std::uint32_t value;
  asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  return value;
}

__device__ void store(std::uint32_t* word, std::uint32_t value) {
  asm volatile("st.global.wb.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

/// Waits until accesses have ended. A fence for the GPU would empty the L1.
__device__ void settle() {
  constexpr std::uint64_t longest = 10'000;  // cycles; loads from memory take a thousand
  const std::uint64_t begin = cuda::sm_cycles();
  while (cuda::sm_cycles() - begin < longest) continue;
}

/// The store to shared memory needs the value, and the clock is read behind it.
__device__ std::int64_t timed_load(const std::uint32_t* word, volatile std::uint32_t* sink) {
  const std::uint64_t begin = cuda::sm_cycles();
  *sink = load(word);
  return static_cast<std::int64_t>(cuda::sm_cycles() - begin);
}

__global__ void access_lines(Accesses accesses, std::int64_t* cycles) {
  __shared__ std::uint32_t sink;
  // Its code and shared memory are used once before the lines that count.
  for (std::uint32_t line = 0; line <= accesses.lines; ++line) {
    std::uint32_t* word = accesses.words + static_cast<std::size_t>(line) * accesses.stride;
    if (accesses.loads_first) sink = load(word);
    if (accesses.stores) store(word + accesses.stored_at, line);
    settle();
    const std::int64_t time = timed_load(word, &sink);
    if (line > 0) cycles[line - 1] = time;
  }
}

}  // namespace

cudaError_t access(const Accesses& accesses, std::int64_t* cycles) {
  access_lines<<<1, 1, 0, accesses.stream>>>(accesses, cycles);
  return cudaGetLastError();
}

}  // namespace tomograph::stores
