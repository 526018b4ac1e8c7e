#ifndef TOMOGRAPH_PLUGINS_CUDA_SHARED_ACCESS_KERNELS_HPP
#define TOMOGRAPH_PLUGINS_CUDA_SHARED_ACCESS_KERNELS_HPP

#include <cuda_runtime_api.h>

#include <cstdint>

/// What crosses to the GPU for experiments on shared memory: one launch is one program on all SMs.
namespace tomograph::cuda {

/// What the CTAs on one SM agree on and find out. All zero before the launch. Minima are kept as complements.
struct SmReport {
  unsigned long long ctas;
  unsigned long long start;  ///< clock at which the empty pass begins; `start_cancelled` if CTAs are missing
  unsigned long long empty_first_begin;  ///< complement of cycles after `start`
  unsigned long long empty_last_end;     ///< cycles after `start`
  unsigned long long first_begin;        ///< complement of cycles after `start`
  unsigned long long last_begin;
  unsigned long long last_end;
  unsigned long long broken;  ///< threads that loaded something else than what was there
};
inline constexpr unsigned long long start_cancelled = 1;

struct AccessTask {
  std::uint32_t offsets[32];
  std::uint32_t lanes;
  std::uint32_t words;  ///< of 4 B, of a CTA's shared memory
  std::uint32_t accesses;
  std::uint32_t stream_shift;
  std::uint32_t warp_shift;
  std::uint32_t store_shift;
  unsigned int* arrived;  ///< CTAs, zero before the launch
  SmReport* sms;          ///< one for each SM
};

/// The kernel for accesses of `width` bytes (4, 8, 16), copying or loading only, of 1, 2, 4, 6 or 8 streams: a function
/// of one AccessTask. Null for others.
const void* access_kernel(std::int64_t width, bool copies, std::int64_t streams);

}  // namespace tomograph::cuda

#endif
