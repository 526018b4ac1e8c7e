// Counts the lines that L1 keeps of a walk, by one launch per line. See README.md.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int line_bytes = 128;
constexpr int words_of_line = line_bytes / static_cast<int>(sizeof(std::uint64_t));

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "carveout: %s\n", cudaGetErrorString(error));
  std::exit(EXIT_FAILURE);
}

struct Walk {
  int lines;
  int nodes;  ///< loads of each line
  int walks;
  int first;  ///< line of the array
};

/// Loads `word`, which holds 0, after the load that returned `before`: the address depends on it.
__device__ std::uint64_t load(const std::uint64_t* word, std::uint64_t before) {
  std::uint64_t value;
  asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(value) : "l"(word + before) : "memory");
  return value;
}

/// Returns only once `value` has arrived.
__device__ void wait_for(std::uint64_t value) {
  asm volatile("{\n\t.reg .pred broken;\n\tsetp.ne.u64 broken, %0, 0;\n\t@broken trap;\n\t}" ::"l"(value) : "memory");
}

/// One thread walks and then times a load of line `tested`, in a word of a sector that it has walked.
__global__ void walk_and_test(const std::uint64_t* array, Walk walk, int tested, std::uint32_t* cycles) {
  const std::uint64_t* const start = array + std::size_t(walk.first) * words_of_line;
  std::uint64_t before = 0;
  for (int pass = 0; pass < walk.walks; ++pass) {
    for (int line = 0; line < walk.lines; ++line) {
      for (int node = 0; node < walk.nodes; ++node) {
        before = load(start + std::size_t(line) * words_of_line + node * words_of_line / 2, before);
      }
    }
  }
  const std::uint64_t* const word = start + std::size_t(tested) * words_of_line + 1;
  wait_for(before);
  const long long begin = clock64();
  before = load(word, before);
  wait_for(before);
  const long long end = clock64();
  *cycles = static_cast<std::uint32_t>(end - begin);
}

/// Lines of the walk that a load finds in L1: it takes less than halfway from a hit to a miss, 32 and 250 cycles or
/// more on GPUs with such an L1.
int kept(const std::uint64_t* array, const Walk& walk) {
  constexpr std::uint32_t halfway = 140;
  std::uint32_t* cycles = nullptr;
  check(cudaMalloc(&cycles, sizeof *cycles * static_cast<std::size_t>(walk.lines)));
  for (int tested = 0; tested < walk.lines; ++tested) {
    walk_and_test<<<1, 1>>>(array, walk, tested, cycles + tested);
  }
  std::vector<std::uint32_t> seen(static_cast<std::size_t>(walk.lines));
  check(cudaMemcpy(seen.data(), cycles, sizeof(std::uint32_t) * seen.size(), cudaMemcpyDeviceToHost));
  check(cudaFree(cycles));
  return static_cast<int>(std::count_if(seen.begin(), seen.end(), [](std::uint32_t one) { return one < halfway; }));
}

}  // namespace

int main() {
  constexpr std::size_t bytes = std::size_t{4} << 20;
  void* memory = nullptr;
  check(cudaMalloc(&memory, bytes));
  check(cudaMemset(memory, 0, bytes));
  const auto* const array = static_cast<const std::uint64_t*>(memory);
  int per_sm = 0;
  check(cudaDeviceGetAttribute(&per_sm, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0));
  std::printf("%8s %6s %6s %6s %6s %6s %8s\n", "percent", "nodes", "walks", "first", "lines", "kept", "bytes");
  for (const int percent : {100, 87, 72, 58, 44, 28, 14, 7, 0}) {
    check(cudaFuncSetAttribute(walk_and_test, cudaFuncAttributePreferredSharedMemoryCarveout, percent));
    // What remains of 256 KiB, half as much again.
    const int lines = (3 * ((256 << 10) - per_sm / 100 * percent) / 2) / line_bytes;
    for (const Walk& walk : {Walk{lines, 1, 3, 0}, Walk{lines, 2, 3, 0}, Walk{lines, 2, 2, 0}, Walk{lines, 2, 4, 0},
                             Walk{lines, 1, 3, 1237}, Walk{lines, 2, 2, 1237}}) {
      const int found = kept(array, walk);
      std::printf("%8d %6d %6d %6d %6d %6d %8d\n", percent, walk.nodes, walk.walks, walk.first, walk.lines, found,
                  found * line_bytes);
      std::fflush(stdout);
    }
  }
  check(cudaFree(memory));
}
