#ifndef TOMOGRAPH_CUDA_L2_LINES_EVICTION_KERNEL_HPP
#define TOMOGRAPH_CUDA_L2_LINES_EVICTION_KERNEL_HPP

#include <cuda_runtime_api.h>

#include <cstdint>

/// The interface of the kernel that tests which lines of the L2 walks evict. Pointers are device addresses.
namespace tomograph::cuda {

/// Runs of the targets, and of the walk, of the largest test. Both fit into the shared memory of every GPU.
inline constexpr std::uint32_t most_runs = 2048;

/// Consecutive lines or places.
struct LineRun {
  std::uint32_t first;
  std::uint32_t count;
};

struct EvictionTestTask {
  std::uint32_t first_target_run;
  std::uint32_t target_runs;
  std::uint32_t targets;
  std::uint32_t first_target;  ///< its number over all tests
  std::uint32_t first_walk_run;
  std::uint32_t walk_runs;
};

struct LateTarget {
  std::uint32_t number;  ///< over all tests
  std::uint32_t cycles;  ///< with the overhead of timing
};

/// What the SMs of a launch count together. All zero before it.
struct EvictionCounts {
  std::uint32_t started;   ///< CTAs
  std::uint32_t arrived;   ///< SMs at the ends of all parts so far
  std::uint32_t finished;  ///< SMs
  std::uint32_t late;      ///< targets
};

struct EvictionTask {
  std::uint64_t base;
  std::uint64_t line_size;
  const EvictionTestTask* tests;
  const LineRun* target_runs;
  const LineRun* walk_runs;
  const std::int32_t* observers;  ///< by number of the SM: its rank among the observers, or -1
  const std::int32_t* walkers;    ///< by number of the SM: its rank among the walkers, or -1
  LateTarget* late;
  EvictionCounts* counts;
  std::uint32_t late_room;  ///< for so many late targets
  std::uint32_t test_count;
  std::uint32_t step;
  std::uint32_t line_mask;  ///< the number of lines, a power of two, less 1
  std::uint32_t page_mask;  ///< the number of lines of a page, a power of two, less 1
  std::uint32_t walks;
  std::uint32_t limit;  ///< cycles, with the overhead of timing
  std::uint32_t observer_count;
  std::uint32_t walker_count;
  std::uint32_t participants;  ///< SMs that observe, walk or both
  std::uint32_t sms;           ///< of the device
};

/// Starts one CTA on each SM. `shared` bytes of shared memory let no second CTA into an SM.
[[nodiscard]] cudaError_t launch_evictions(const EvictionTask& task, std::uint32_t shared, cudaStream_t stream);

}  // namespace tomograph::cuda

#endif
