#ifndef TOMOGRAPH_CUDA_STREAMING_KERNELS_HPP
#define TOMOGRAPH_CUDA_STREAMING_KERNELS_HPP

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

/// The kernels behind streaming, as C++17 sees them.
namespace tomograph::cuda {

/// What one SM saw, all zero beforehand. Begins are kept as complements, so that the first one is a maximum, too.
struct StreamTimes {
  std::uint64_t begin_ns_complement;
  std::uint64_t end_ns;
  std::uint64_t begin_clock_complement;
  std::uint64_t end_clock;
  std::uint64_t finished;  ///< CTAs
};

/// The words through which the CTAs of a program find each other, zero beforehand; one `claimed` per SM follows.
struct StreamMeeting {
  std::uint32_t started;
  std::uint32_t warm;
  unsigned long long taken[2];  ///< of a queued footprint: pieces that CTAs have taken, to warm up and in time
};

struct StreamTask {
  std::byte* source;
  std::byte* target;          ///< of copies
  std::uint64_t slice;        ///< bytes of one group
  const std::int32_t* ranks;  ///< by number of the SM: its rank among those that take part, or -1
  StreamMeeting* meeting;
  std::uint32_t* claimed;  ///< by number of the SM: CTAs that have asked for work there
  StreamTimes* times;      ///< by rank
  std::uint32_t* sink;     ///< takes what was read if it is `never`, so that no load is idle
  std::uint32_t never;
  std::uint32_t sm_limit;  ///< numbers of SMs are below this
  std::uint32_t sms;
  std::uint32_t ctas_per_sm;
  std::uint32_t warm_passes;
  std::uint32_t passes;
  std::int64_t deal;
};

using StreamKernel = void (*)(StreamTask);

/// The kernel for an operation and a load path of abi/streaming.h, bytes per element and instructions in a row.
/// Null if there is none.
[[nodiscard]] StreamKernel stream_kernel(std::int64_t operation, std::int64_t load, std::int64_t element,
                                         std::int64_t ilp);

/// Fills memory with numbers that nothing on the way can compress.
[[nodiscard]] cudaError_t launch_scatter(std::uint32_t* words, std::uint64_t count, cudaStream_t stream);

}  // namespace tomograph::cuda

#endif
