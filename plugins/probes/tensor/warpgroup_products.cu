#include <cuda_runtime.h>

#include <utility>

#include "kernels.hpp"
#include "tomograph/cuda/launch.hpp"
#include "tomograph/cuda/ptx.cuh"
#include "warpgroup_products.cuh"

namespace tomograph::tensor {

namespace {

/// Four warps, by definition.
constexpr std::uint32_t warpgroup_threads = 128;
constexpr std::uint32_t most_threads = 2 * warpgroup_threads;

/// The descriptor of a factor in shared memory, of rows of 32 B in groups of 8: core matrices of 8 x 16 B follow one
/// another, first along a row. (PTX ISA, "Matrix-descriptor", no swizzling.)
__device__ __forceinline__ std::uint64_t descriptor(const void* factor) {
  // Bytes of a core matrix, and of the two of a row.
  constexpr std::uint64_t along_a_row = 128;
  constexpr std::uint64_t to_next_rows = 256;
  const std::uint64_t address = cuda::shared_address(factor) & 0x3ffffU;
  return address >> 4U | along_a_row >> 4U << 16U | to_next_rows >> 4U << 32U;
}

__device__ __forceinline__ void wait_for_all() {
  asm volatile("wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;" ::: "memory");
}

__device__ __forceinline__ void wait_for_previous_lap() {
  asm volatile("wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 1;" ::: "memory");
}

template <int form, bool one_by_one>
__global__ void __launch_bounds__(most_threads) warpgroup_products(std::uint32_t laps, std::uint64_t* cycles) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ __align__(128) std::uint8_t factors[];
  __shared__ unsigned long long begin;
  __shared__ unsigned long long end;
  for (std::uint32_t i = threadIdx.x; i < blockDim.x / warpgroup_threads * warpgroup_factor_bytes; i += blockDim.x) {
    factors[i] = i % 2;
  }
  WarpgroupProduct<form> product{};
  if (threadIdx.x == 0) {
    begin = ~0ULL;
    end = 0;
  }
  const std::uint8_t* own = factors + threadIdx.x / warpgroup_threads * warpgroup_factor_bytes;
  const std::uint64_t first = descriptor(own);
  const std::uint64_t second = descriptor(own + warpgroup_rows * warpgroup_row_bytes);
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  const std::uint64_t begun = cuda::sm_cycles();
#pragma unroll 1
  for (std::uint32_t lap = 0; lap < laps; ++lap) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll warpgroup_products_of_branch
    for (int i = 0; i < products_of_lap; ++i) {
      product.add(first, second);
      if constexpr (one_by_one) wait_for_all();
    }
    if constexpr (!one_by_one) wait_for_previous_lap();
  }
  wait_for_all();
  const std::uint64_t ended = cuda::sm_cycles();
  if (threadIdx.x % warpgroup_threads == 0) {
    atomicMin(&begin, begun);
    atomicMax(&end, ended);
  }
  // Never true, but ptxas cannot know, and so keeps all sums.
  bool negative = false;
  for (const auto& element : product.sum) negative |= element < 0;
  __syncthreads();
  if (threadIdx.x == 0 || negative) cycles[blockIdx.x] = negative ? 0 : end - begin;
#endif
}

using Kernel = void (*)(std::uint32_t, std::uint64_t*);

template <bool one_by_one, int... form>
Kernel kernel_of(std::size_t wanted, std::integer_sequence<int, form...>) {
  constexpr Kernel kernels[] = {warpgroup_products<form, one_by_one>...};
  return kernels[wanted];
}

}  // namespace

cudaError_t multiply(const WarpgroupProducts& products, std::uint64_t* cycles) {
  constexpr std::make_integer_sequence<int, static_cast<int>(warpgroup_forms.size())> all{};
  const Kernel kernel =
      products.one_by_one ? kernel_of<true>(products.form, all) : kernel_of<false>(products.form, all);
  const cuda::Grid grid{products.ctas, warpgroup_threads * products.warpgroups, products.dynamic_shared, 1,
                        products.stream};
  return cuda::prepare_and_launch(kernel, grid, products.laps, cycles);
}

}  // namespace tomograph::tensor
