#include "cuda/divergence/kernels.hpp"
#include "cuda/occupancy/span.cuh"

namespace tomograph::cuda {

namespace {

/// Instructions of a short branch. The four long ones, 4 KiB in all on sm_90, stay in the nearest instruction cache of
/// an H200.
constexpr int short_branch = 32;

/// `length` dependent instructions. The comment makes the text of each branch unique, so that the compiler does not
/// merge branches.
#define TOMOGRAPH_BRANCH(number)                \
  _Pragma("unroll") for (int i = 0; i < length; \
                         ++i) asm volatile("fma.rn.f32 %0, %0, %1, %1; // branch " #number : "+f"(x) : "f"(y))

template <bool long_body>
__global__ void __launch_bounds__(1024, 1)
    diverge(Occupancy occupancy, std::uint32_t width, std::uint32_t passes, float factor, float* results) {
  constexpr int length = short_branch * (long_body ? 2 : 1);
  const std::uint32_t branch = threadIdx.x / width % 4;
  const float y = factor + static_cast<float>(threadIdx.x);
  float x = y + 1;
  run_together(occupancy, passes, [&](std::uint32_t count) {
#pragma unroll 1
    for (std::uint32_t pass = 0; pass < count; ++pass) {
      switch (branch) {
        case 0: TOMOGRAPH_BRANCH(0); break;
        case 1: TOMOGRAPH_BRANCH(1); break;
        case 2: TOMOGRAPH_BRANCH(2); break;
        default: TOMOGRAPH_BRANCH(3); break;
      }
      __syncwarp();
    }
  });
  if (results != nullptr) results[threadIdx.x] = x;
}

}  // namespace

std::uint32_t branch_length(bool long_body) { return short_branch * (long_body ? 2U : 1U); }

cudaError_t allow_divergence_shared(bool long_body, std::int64_t bytes, std::int64_t& fixed) {
  return allow_shared(reinterpret_cast<const void*>(long_body ? diverge<true> : diverge<false>), bytes, fixed);
}

cudaError_t launch_divergence(bool long_body, std::uint32_t width, std::uint32_t passes, const Launch& launch) {
  const auto kernel = long_body ? diverge<true> : diverge<false>;
  kernel<<<launch.ctas, launch.threads, launch.dynamic_shared, launch.stream>>>(launch.occupancy, width, passes, 3,
                                                                                nullptr);
  return cudaGetLastError();
}

}  // namespace tomograph::cuda
