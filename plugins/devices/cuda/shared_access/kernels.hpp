#ifndef TOMOGRAPH_PLUGINS_CUDA_SHARED_ACCESS_KERNELS_HPP
#define TOMOGRAPH_PLUGINS_CUDA_SHARED_ACCESS_KERNELS_HPP

#include <cuda_runtime_api.h>

#include <cstdint>

/// The interface of the kernels that access shared memory. One launch runs one program on all SMs.
namespace tomograph::cuda {

/// Start and times of the CTAs on one SM. All zero before the launch. Minima are stored as complements.
struct SmReport {
  unsigned long long ctas;
  unsigned long long start;  ///< clock at which the empty pass begins; `start_cancelled` if CTAs are missing
  unsigned long long empty_first_begin;  ///< complement of cycles after `start`
  unsigned long long empty_last_end;     ///< cycles after `start`
  unsigned long long first_begin;        ///< complement of cycles after `start`
  unsigned long long last_begin;
  unsigned long long last_end;
  unsigned long long wrong;  ///< threads that loaded another value than memory holds
};
/// Value of `SmReport::start` if CTAs are missing.
inline constexpr unsigned long long start_cancelled = 1;

struct AccessTask {
  std::uint32_t offsets[32];  // NOLINT(modernize-avoid-c-arrays): CUDA cannot index std::array
  std::uint32_t lanes;
  std::uint32_t words;  ///< of 4 B, of a CTA's shared memory
  std::uint32_t accesses;
  std::uint32_t stream_shift;
  std::uint32_t warp_shift;
  std::uint32_t store_shift;
  unsigned int* arrived;  ///< CTAs, zero before the launch
  SmReport* sms;          ///< one for each SM
  std::uint32_t sm_count;
};

/// The kernel for an operation of abi/shared_access.h, for accesses of `width` bytes (4, 8 or 16) in 1, 2, 4, 6 or 8
/// streams. It takes one AccessTask. Null for others.
const void* access_kernel(std::int64_t width, std::int64_t operation, std::int64_t streams);

}  // namespace tomograph::cuda

#endif
