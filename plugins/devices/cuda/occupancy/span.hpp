#ifndef TOMOGRAPH_CUDA_OCCUPANCY_SPAN_HPP
#define TOMOGRAPH_CUDA_OCCUPANCY_SPAN_HPP

#include <cuda_runtime_api.h>

#include <cstdint>

/// The interface of kernels that run a given number of CTAs on every SM and time them.
namespace tomograph::cuda {

/// Through which the CTAs of one SM start together. All zero before the launch.
struct Gate {
  std::uint64_t start;    ///< clock of the SM at which they start, or 0
  std::uint32_t arrived;  ///< CTAs that wait
  std::uint32_t padding;
};

/// When a CTA ran, by the clock of its SM.
struct Span {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint32_t sm;
  std::uint32_t padding;
};

/// One launch. Pointers are device addresses.
struct Occupancy {
  Gate* gates;  ///< one per SM
  Span* spans;  ///< one per CTA
  std::uint32_t sms;
  std::uint32_t ctas_per_sm;
};

struct Launch {
  Occupancy occupancy;
  std::uint32_t ctas;
  std::uint32_t threads;
  std::uint32_t dynamic_shared;
  cudaStream_t stream;
};

}  // namespace tomograph::cuda

#endif
