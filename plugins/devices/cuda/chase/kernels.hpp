#ifndef TOMOGRAPH_CUDA_CHASE_KERNELS_HPP
#define TOMOGRAPH_CUDA_CHASE_KERNELS_HPP

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>

/// What crosses to the GPU: plain structures, and the launches that read them. A *wave* is one launch; each
/// SM works on at most one *part* of a program in it, the phases of those actors that run on this SM.
namespace tomograph::cuda {

inline constexpr std::uint32_t no_program = 0xffffffffU;
inline constexpr std::uint32_t warp_threads = 32;
/// Threads that can follow a ring together: a CTA's but for its first warp, which belongs to the thread that is timed.
inline constexpr std::uint32_t most_workers = 1024 - warp_threads;

/// Device addresses are kept as numbers, as they are in the nodes.
using Address = std::uint64_t;

/// A ring to write: node i lies at base + the offset number i of the list, or, without a list, at base + start + i *
/// stride.
struct RingTask {
  Address base;
  std::uint64_t count;
  std::int64_t start;
  std::int64_t stride;
  Address list;  ///< of the offsets, or 0
};

struct PhaseTask {
  std::uint64_t loads;
  std::uint32_t first_start;  ///< in the wave's `starts`: where the first thread starts, then the others
  std::uint32_t threads;
  std::uint32_t part;
  std::uint32_t slot;  ///< first of the part's slots that this phase writes
  std::int32_t path;
  std::int32_t timing;
};

/// What an SM does in a wave.
struct PartTask {
  std::uint64_t output;   ///< position of its first slot in the output
  std::uint32_t program;  ///< or `no_program`
  std::uint32_t part;
  std::uint32_t parts;
  std::uint32_t first_phase;
  std::uint32_t phases;
  std::uint32_t slots;
};

/// Two words by which the parts of one program find each other; both start at zero.
struct Meeting {
  std::uint32_t present;  ///< parts that have arrived, or `meeting_closed`
  std::uint32_t turn;     ///< the phase that may run
};
inline constexpr std::uint32_t meeting_closed = 0xffffffffU;

/// One launch. All pointers are device addresses.
struct Wave {
  const PartTask* parts;  ///< one per SM
  const PhaseTask* phases;
  const Address* starts;
  std::uint32_t* claimed;  ///< one per SM, zero before the launch
  std::uint32_t* started;  ///< CTAs that have started, zero before the launch
  Meeting* meetings;       ///< one per program
  std::uint64_t* output;   ///< slots
  std::uint32_t* done;     ///< one per SM: set to 1 when the SM's part is done
  std::uint32_t sms;
  Address scratch;  ///< a node that points to itself
};

struct Shape {
  std::uint32_t ctas;
  std::uint32_t threads;
  std::uint32_t dynamic_shared;
};

/// Writes `count` rings. `blocks` CTAs share each ring.
cudaError_t launch_link(const RingTask* rings, std::uint32_t count, std::uint32_t blocks, cudaStream_t stream);

cudaError_t launch_chase(const Wave& wave, const Shape& shape, cudaStream_t stream);

/// Occupies every SM for so many cycles, so that the clocks have risen before anything is measured.
cudaError_t launch_busy(std::uint32_t ctas, std::int64_t cycles, cudaStream_t stream);

/// Chains of dependent instructions that are timed in place of loads, to learn what the timing itself costs.
inline constexpr std::array<int, 4> chain_lengths = {8, 16, 24, 32};
inline constexpr int chain_repetitions = 33;

/// Times each chain as single loads are timed, then as a whole phase is: `cycles` in that order, by length, by
/// repetition.
cudaError_t launch_time_timing(std::uint32_t* cycles, cudaStream_t stream);

/// Shared memory that the chase kernel takes besides its slots.
cudaError_t chase_static_shared(std::size_t& bytes);
cudaError_t allow_dynamic_shared(std::uint32_t bytes);
/// Percentage of the SM's shared memory, or one of cudaSharedCarveout.
cudaError_t prefer_carveout(int percent);
/// CTAs of the chase kernel that one SM can hold at a time.
cudaError_t resident_ctas(std::uint32_t threads, std::uint32_t dynamic_shared, int& ctas);

}  // namespace tomograph::cuda

#endif
