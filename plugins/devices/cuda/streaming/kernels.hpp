#ifndef TOMOGRAPH_CUDA_STREAMING_KERNELS_HPP
#define TOMOGRAPH_CUDA_STREAMING_KERNELS_HPP

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

/// The interface of the streaming kernels.
namespace tomograph::cuda {

/// When the CTAs of one SM ran. All zero before the launch. Begins are stored as complements, so that the first begin
/// is a maximum, as the last end is.
struct StreamTimes {
  std::uint64_t begin_ns_complement;
  std::uint64_t end_ns;
  std::uint64_t begin_clock_complement;
  std::uint64_t end_clock;
  std::uint64_t finished;  ///< CTAs
};

/// The words through which the CTAs of a program wait for each other, followed by one `claimed` per SM. All zero before
/// the launch.
struct StreamRendezvous {
  std::uint32_t started;
  std::uint32_t warm;
  /// Pieces of a queued footprint that CTAs have taken: in warm-up passes, in timed passes.
  unsigned long long taken[2];  // NOLINT(modernize-avoid-c-arrays): CUDA cannot index std::array
};

struct StreamTask {
  std::byte* source;
  std::byte* target;          ///< of copies
  std::uint64_t texture;      ///< over the source, if texels are read
  std::uint64_t slice;        ///< bytes of one group
  const std::int32_t* ranks;  ///< by number of the SM: its rank among those that take part, or -1
  StreamRendezvous* rendezvous;
  std::uint32_t* claimed;  ///< by number of the SM: CTAs that have asked for work on it
  StreamTimes* times;      ///< by rank
  std::uint32_t* sink;     ///< receives the sum of what was read if it is `unlikely_sum`
  std::uint32_t unlikely_sum;
  std::uint32_t sm_limit;  ///< numbers of SMs are below this
  std::uint32_t sms;
  std::uint32_t ctas_per_sm;
  std::uint32_t warm_passes;
  std::uint32_t passes;
  std::int64_t distribution;
};

using StreamKernel = void (*)(StreamTask);

/// The kernel for an operation and a load path of abi/streaming.h, for elements of `element` bytes and `ilp`
/// independent instructions in a row. Null if there is none.
[[nodiscard]] StreamKernel stream_kernel(std::int64_t operation, std::int64_t load, std::int64_t element,
                                         std::int64_t ilp);

/// The same for reads of 4, 8 or 16 bytes through the read-only, texture and constant paths, whose module has constants
/// of its own.
[[nodiscard]] StreamKernel read_only_kernel(std::int64_t load, std::int64_t element, std::int64_t ilp);

/// Bytes of constants that the kernels can read.
inline constexpr std::int64_t streamed_constants = 32768;

/// Fills memory with pseudorandom numbers, which no compression of memory shortens.
[[nodiscard]] cudaError_t launch_fill(std::uint32_t* words, std::uint64_t count, cudaStream_t stream);

}  // namespace tomograph::cuda

#endif
