#include "bodies/list.hpp"
#include "device.cuh"
#include "kernels.hpp"
#include "tomograph/cuda/ptx.cuh"

namespace tomograph::workloads {

namespace {

/// CTAs of an SM that kernels leave registers for: 2048 threads.
constexpr int least_ctas = 8;

template <typename Body>
__global__ void __launch_bounds__(cta_threads, least_ctas) run(Body body, std::byte* memory, CtaTime* times) {
  const std::uint64_t begin_ns = cuda::device_nanoseconds();
  const std::uint64_t begin = cuda::sm_cycles();
  body.body(DeviceMachine(memory));
  __syncthreads();
  if (threadIdx.x == 0) times[blockIdx.x] = {begin_ns, cuda::device_nanoseconds(), cuda::sm_cycles() - begin};
}

__global__ void __launch_bounds__(1024, 2) wait(std::uint64_t cycles, CtaSpan* spans) {
  const std::uint64_t begin = cuda::sm_cycles();
  while (cuda::sm_cycles() - begin < cycles) {
  }
  __syncthreads();
  if (threadIdx.x == 0) spans[blockIdx.x] = {begin, cuda::sm_cycles(), cuda::sm_id()};
}

/// Calls `use` with the body that has the number.
template <typename Use, typename... Bodies>
cudaError_t with_body(std::int64_t number, const Use& use, List<Bodies...>) {
  cudaError_t error = cudaErrorInvalidValue;
  std::int64_t own = 0;
  static_cast<void>(((own++ == number ? (error = use(Bodies{}), true) : false) || ...));
  return error;
}

template <typename... Regular, typename... Divergent>
List<Regular..., Divergent...> joined(List<Regular...>, List<Divergent...>);
using AllBodies = decltype(joined(RegularBodies{}, DivergentBodies{}));

struct Launch {
  std::byte* memory;
  CtaTime* times;
  cudaStream_t stream;

  template <typename Body>
  cudaError_t operator()(const Body& body) const {
    run<<<Body::threads / cta_threads, cta_threads, 0, stream>>>(body, memory, times);
    return cudaGetLastError();
  }
};

struct Resident {
  int* ctas;

  template <typename Body>
  cudaError_t operator()(const Body& /*body*/) const {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(ctas, run<Body>, cta_threads, 0);
  }
};

}  // namespace

cudaError_t launch_waiting(std::int64_t ctas, std::int64_t warps, std::int64_t wait_cycles, CtaSpan* spans,
                           cudaStream_t stream) {
  wait<<<static_cast<unsigned>(ctas), static_cast<unsigned>(32 * warps), 0, stream>>>(
      static_cast<std::uint64_t>(wait_cycles), spans);
  return cudaGetLastError();
}

cudaError_t resident_waiting_ctas(std::int64_t warps, int* ctas) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(ctas, wait, static_cast<int>(32 * warps), 0);
}

cudaError_t launch_workload(std::int64_t number, std::byte* memory, CtaTime* times, cudaStream_t stream) {
  return with_body(number, Launch{memory, times, stream}, AllBodies{});
}

cudaError_t resident_ctas(std::int64_t number, int* ctas) { return with_body(number, Resident{ctas}, AllBodies{}); }

}  // namespace tomograph::workloads
