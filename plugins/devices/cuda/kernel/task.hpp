#ifndef TOMOGRAPH_CUDA_KERNEL_TASK_HPP
#define TOMOGRAPH_CUDA_KERNEL_TASK_HPP

#include <array>
#include <cstdint>
#include <vector>

#include "tomograph/kernel.hpp"

/// The parameters of a generated kernel.
namespace tomograph::cuda {

/// When the CTAs of one SM ran. All zero before the launch. Begins are stored as complements, so that the first begin
/// is a maximum, as the last end is.
struct KernelTimes {
  std::uint64_t begin_ns_complement;
  std::uint64_t end_ns;
  std::uint64_t begin_clock_complement;
  std::uint64_t end_clock;
  std::uint64_t finished;  ///< CTAs that were resident
  std::uint64_t latency;   ///< sum over the timed loads of all warps, in cycles
};

/// The words through which CTAs wait for each other. All zero before the launch.
struct KernelRendezvous {
  std::uint32_t started;
  std::uint32_t ready;
  std::uint64_t start_ns;  ///< the latest start that a CTA asks for
};

/// What a pattern needs to know, computed on the host. Residues are modulo `elements`.
struct KernelAccess {
  std::uint64_t base;      ///< address
  std::uint32_t elements;  ///< blocks for a hash
  std::array<std::uint32_t, 7> values;
};

/// Places of numbers in KernelAccess::values, by pattern.
enum class StrideValue { lane, warp, offset, iteration_step, cta_step };
enum class HashValue { block, group_shift, group_mask, seed };
enum class StencilValue { tiles, shift, iteration_step, cta_step, width, tile_step, next_row };
enum class CsrValue { row };
enum class ColumnValue { width, cta_step };

/// Parameters of the generated kernel, in the order of its declaration.
struct KernelTask {
  const std::int32_t* ranks;  ///< by number of the SM: its rank among those that take part, or -1
  std::uint32_t* rendezvous;
  std::uint64_t* occupied;  ///< by number of the SM: a bit for the warp slot of each CTA's first warp, zero before
  KernelTimes* times;       ///< by rank
  std::uint32_t* sink;      ///< receives what was computed if it is `unlikely`
  std::uint32_t unlikely;
  std::uint32_t zero;    ///< 0, which the compiler does not know
  std::uint32_t factor;  ///< of multiplications
  std::uint32_t sm_limit;
  std::uint32_t sms;
  std::uint32_t ctas_per_sm;
  std::uint32_t ctas;
  std::uint32_t iterations;
};

/// What the instructions of a kernel that keeps the rules need to know, one element for each of them. `arena` is the
/// address of the footprint, `sms` the number of SMs that take part.
[[nodiscard]] std::vector<KernelAccess> accesses_of(const kernel::Kernel& kernel, std::int64_t sms,
                                                    std::uint64_t arena);

}  // namespace tomograph::cuda

#endif
