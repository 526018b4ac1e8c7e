#ifndef TOMOGRAPH_ATOMICS_KERNELS_HPP
#define TOMOGRAPH_ATOMICS_KERNELS_HPP

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "operations.hpp"

/// The interface of the kernels. Pointers are device addresses. Launches return their error and do not wait for the
/// end.
namespace tomograph::atomics {

/// Cycles of a CTA for the shorter and for the longer run. Kernels that were built for a GPU without the operation
/// leave zeros.
struct Times {
  std::uint64_t few;
  std::uint64_t many;
};
/// Stands for both times if the CTAs could not start together.
inline constexpr std::uint64_t not_together = ~0ULL;

/// What both kinds of runs have in common.
struct Run {
  Space space = Space::global;
  std::size_t operation = 0;  ///< index in `operations`
  std::uint32_t laps = 1;     ///< of the shorter run
  std::uint32_t ctas = 1;
  std::uint32_t dynamic_shared = 0;  ///< bytes of a CTA: so many that an SM holds one
  cudaStream_t stream = nullptr;
};

/// Bytes of memory of a CTA for a chain.
inline constexpr std::uint32_t chain_bytes = chain_of_lap * line_bytes;
/// Chains for which there is global memory, in which their lines take turns: side by side, all lines of a chain lay in
/// one partition of L2, and the median over SMs was that of the near ones or that of the far ones. An odd number leads
/// a chain through all slices.
[[nodiscard]] __host__ __device__ constexpr std::uint32_t chains_for(std::uint32_t ctas) { return ctas | 1U; }
/// Chains use each of their turns, every third, every fifth and so on. With one distance for all, their lines lay in
/// the partitions in the same shares, and latencies of an H100 spread by 10 % from run to run.
inline constexpr std::uint32_t chain_distances = 16;
[[nodiscard]] __host__ __device__ constexpr std::uint32_t turns_apart(std::uint32_t cta) {
  return 2 * (cta % chain_distances) + 1;
}
/// Bytes of global memory for the chains.
[[nodiscard]] constexpr std::size_t memory_of_chains(std::uint32_t ctas) {
  return std::size_t{chain_bytes} * chains_for(ctas) * turns_apart(chain_distances - 1);
}

/// Memory and words of a run of independent atomics, in bytes.
struct Words {
  std::byte* memory = nullptr;      ///< global memory, all zero; not used in shared memory
  std::uint32_t pages = 1;          ///< each CTA begins with another one
  std::uint32_t pages_of_warp = 0;  ///< from warp to warp
  std::uint32_t page_bytes = 0;
  std::uint32_t warp_bytes = 0;
  std::uint32_t place_bytes = 0;  ///< from one word of a thread to its next
  std::uint32_t word_bytes = 0;   ///< from the word of a lane to that of the next
  std::uint32_t lanes_per_word = 1;
};

/// Who executes a run of independent atomics.
struct Workers {
  std::uint32_t warps = 1;
  std::int32_t cta = -1;             ///< that works alone; -1: all
  std::uint32_t* started = nullptr;  ///< zero; counts CTAs that wait for all others; null: they do not wait
};

/// One thread of each CTA executes a chain. `memory` has `memory_of_chains(run.ctas)` bytes, all zero.
cudaError_t chase(const Run& run, std::byte* memory, Times* times);

/// Executes independent atomics; if not `returns`, reductions.
cudaError_t stream(const Run& run, bool returns, const Words& words, const Workers& workers, Times* times);

}  // namespace tomograph::atomics

#endif
