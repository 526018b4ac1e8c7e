#ifndef TOMOGRAPH_WORKLOADS_KERNELS_HPP
#define TOMOGRAPH_WORKLOADS_KERNELS_HPP

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "cta_span.hpp"

/// The interface of the kernels. Workloads have the numbers of all_workloads().
namespace tomograph::workloads {

/// When a CTA ran. All zero before the launch.
struct CtaTime {
  std::uint64_t begin_ns;
  std::uint64_t end_ns;
  std::uint64_t cycles;
};

/// Starts a workload. `memory` and `times`, one for each CTA, are device addresses. Does not wait for the end.
cudaError_t launch_workload(std::int64_t number, std::byte* memory, CtaTime* times, cudaStream_t stream);
/// Starts `ctas` CTAs of `warps` warps that end `wait_cycles` after their start. `spans`, one for each CTA, is a device
/// address. Does not wait for the end.
cudaError_t launch_waiting(std::int64_t ctas, std::int64_t warps, std::int64_t wait_cycles, CtaSpan* spans,
                           cudaStream_t stream);
/// Sets `ctas` to the number of such CTAs that an SM holds at the same time.
cudaError_t resident_waiting_ctas(std::int64_t warps, int* ctas);
/// Sets `ctas` to the number that an SM holds at the same time.
cudaError_t resident_ctas(std::int64_t number, int* ctas);

}  // namespace tomograph::workloads

#endif
