#ifndef TOMOGRAPH_DSMEM_KERNELS_HPP
#define TOMOGRAPH_DSMEM_KERNELS_HPP

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "accesses.hpp"

/// The interface of the kernels. Each launch returns its error and does not wait for the end. Pointers are device
/// addresses.
namespace tomograph::dsmem {

/// The grid of a kernel.
struct Shape {
  std::uint32_t cluster = 1;  ///< CTAs of a cluster
  std::uint32_t clusters = 1;
  std::uint32_t shared_bytes = 0;  ///< dynamic shared memory of each CTA, at least `pass_bytes`
  cudaStream_t stream = nullptr;
};

/// Bytes of shared memory that each CTA accesses in one pass of a throughput kernel.
constexpr std::uint32_t pass_bytes = 64 * 1024;

/// Distance, in bytes, of the words that clusters hand over in global memory. An H200 assigns lines to the two parts of
/// its L2 in chunks of a few KiB, so that closer words could all lie in the same part.
constexpr std::uint32_t mailbox_stride = 4096 + 256;

/// When a CTA ran.
struct CtaTime {
  std::uint64_t cycles;
  std::uint64_t begin_ns;
  std::uint64_t end_ns;
  std::uint32_t sm;
  std::uint32_t works;  ///< 0: it accessed nothing, only its memory was accessed
};

/// `capability` becomes the compute capability, times 10, for which the kernels were compiled.
cudaError_t built_for(int* capability);
/// `clusters` becomes the number of clusters of this shape that are resident at the same time, 0 if there are none of
/// this size. Ignores `shape.clusters`.
cudaError_t resident_clusters(const Shape& shape, int* clusters);
/// `seen[cta]` becomes SM << 16 | size of the CTA's cluster. Every CTA stays resident for `cycles`.
cudaError_t report_clusters(const Shape& shape, std::uint64_t cycles, std::uint32_t* seen);
/// `cycles[(cluster * n + reader) * n + target]` becomes the time of `loads` dependent loads from the shared memory of
/// each target by each reader of a cluster of n CTAs. `sms` becomes the SM of each CTA.
cudaError_t chase_pairs(const Shape& shape, std::uint32_t loads, std::uint32_t* cycles, std::uint32_t* sms);
/// CTAs 0 and 1 of each cluster hand a number back and forth `rounds` times. `words` holds `mailbox_stride` bytes of
/// zeros per cluster.
cudaError_t hand_over(const Shape& shape, Space space, std::uint32_t rounds, std::uint32_t* words, CtaTime* times);
/// Each CTA accesses `pass_bytes` of its partner's memory `passes` times. `memory` holds `pass_bytes` per CTA.
cudaError_t stream(const Shape& shape, Operation operation, Partner partner, Space space, std::uint32_t width,
                   std::uint32_t passes, std::byte* memory, CtaTime* times);

}  // namespace tomograph::dsmem

#endif
