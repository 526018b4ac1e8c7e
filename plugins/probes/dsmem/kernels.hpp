#ifndef TOMOGRAPH_DSMEM_KERNELS_HPP
#define TOMOGRAPH_DSMEM_KERNELS_HPP

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "accesses.hpp"

/// What crosses to the kernels. Each call returns the error of its launch. Pointers are device addresses.
namespace tomograph::dsmem {

/// Where and how a kernel runs.
struct Shape {
  std::uint32_t cluster = 1;
  std::uint32_t clusters = 1;
  cudaStream_t stream = nullptr;
};

/// Shared memory of a CTA in every kernel: more than half of an SM's, so that no two CTAs share an SM.
constexpr std::uint32_t shared_bytes = 120 * 1024;
/// What one pass of a throughput kernel moves per CTA.
constexpr std::uint32_t pass_bytes = 64 * 1024;

/// Between the words that clusters hand over in global memory. L2 homes lines by chunks of a few KiB: words close to
/// each other would all be near or all far, as their pages happen to lie.
constexpr std::uint32_t mailbox_stride = 4096 + 256;

/// What a CTA saw.
struct CtaTime {
  std::uint64_t cycles;
  std::uint64_t begin_ns;
  std::uint64_t end_ns;
  std::uint32_t sm;
  std::uint32_t works;  ///< 0: it only lent its memory
};

/// `clusters` becomes how many clusters of this size are resident at once, 0 for none.
cudaError_t resident(std::uint32_t cluster, int* clusters);
/// `seen[cta]` becomes SM << 16 | size of its cluster. Every CTA stays for `cycles`.
cudaError_t look_around(const Shape& shape, std::uint64_t cycles, std::uint32_t* seen);
/// `cycles[(cluster * n + reader) * n + target]` becomes the time of `loads` dependent loads, `sms` where CTAs ran.
cudaError_t chase_pairs(const Shape& shape, std::uint32_t loads, std::uint32_t* cycles, std::uint32_t* sms);
/// CTA 0 and 1 of each cluster hand a number to and fro `rounds` times. `words` has 64 zeros per cluster.
cudaError_t hand_over(const Shape& shape, Space space, std::uint32_t rounds, std::uint32_t* words, CtaTime* times);
/// `passes` times, each CTA accesses `pass_bytes` of its partner. `memory` has as many for each CTA.
cudaError_t stream(const Shape& shape, Operation operation, Partner partner, Space space, std::uint32_t width,
                   std::uint32_t passes, std::byte* memory, CtaTime* times);

}  // namespace tomograph::dsmem

#endif
