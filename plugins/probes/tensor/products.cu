#include <cuda_runtime.h>

#include <utility>

#include "kernels.hpp"
#include "products.cuh"
#include "tomograph/cuda/launch.hpp"
#include "tomograph/cuda/ptx.cuh"

namespace tomograph::tensor {

namespace {

constexpr std::uint32_t most_threads = 512;  // the most warps, with registers for the most chains
constexpr std::uint32_t warp_threads = 32;   // of every GPU so far

/// Gives the factors and sums small values that the compiler does not know.
template <typename Registers>
__device__ __forceinline__ void fill(Registers& registers) {
  for (auto& element : registers.first) element = threadIdx.x % 3;
  for (auto& element : registers.second) element = threadIdx.x % 2;
}

template <int form, int ilp>
__global__ void __launch_bounds__(most_threads) products(std::uint32_t laps, std::uint64_t* cycles) {
  using One = Product<form>;
  if constexpr (One::exists) {
    __shared__ unsigned long long begin;
    __shared__ unsigned long long end;
    One product;
    fill(product);
    decltype(product.sum) sums[ilp] = {};
    if (threadIdx.x == 0) {
      begin = ~0ULL;
      end = 0;
    }
    __syncthreads();
    const std::uint64_t begun = cuda::sm_cycles();
#pragma unroll 1
    for (std::uint32_t lap = 0; lap < laps; ++lap) {
#pragma unroll
      for (int i = 0; i < products_of_lap; ++i) product.add(sums[i % ilp]);
    }
    const std::uint64_t ended = cuda::sm_cycles();
    if (threadIdx.x % warp_threads == 0) {
      atomicMin(&begin, begun);
      atomicMax(&end, ended);
    }
    // Never true, but ptxas cannot know, and so keeps all sums.
    bool negative = false;
    for (const auto& sum : sums) {
      for (const auto& element : sum) negative |= element < 0;
    }
    if (negative) cycles[blockIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x == 0 && !negative) cycles[blockIdx.x] = end - begin;
  }
}

using Kernel = void (*)(std::uint32_t, std::uint64_t*);

/// The kernel of each form for an ILP.
template <int ilp, int... form>
Kernel kernel_of(std::size_t wanted, std::integer_sequence<int, form...>) {
  constexpr Kernel kernels[] = {products<form, ilp>...};
  return kernels[wanted];
}

Kernel kernel_of(const Products& products) {
  constexpr std::make_integer_sequence<int, static_cast<int>(forms.size())> all{};
  switch (products.ilp) {
    case 1: return kernel_of<1>(products.form, all);
    case 2: return kernel_of<2>(products.form, all);
    case 4: return kernel_of<4>(products.form, all);
    default: return kernel_of<8>(products.form, all);
  }
}

}  // namespace

cudaError_t multiply(const Products& products, std::uint64_t* cycles) {
  const cuda::Grid grid{products.ctas, warp_threads * products.warps, products.dynamic_shared, 1, products.stream};
  return cuda::prepare_and_launch(kernel_of(products), grid, products.laps, cycles);
}

}  // namespace tomograph::tensor
