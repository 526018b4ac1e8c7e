#ifndef TOMOGRAPH_CUDA_CHASE_PROGRAM_LAYOUT_HPP
#define TOMOGRAPH_CUDA_CHASE_PROGRAM_LAYOUT_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda/chase/kernels.hpp"
#include "tomograph/chase.hpp"

/// How a program maps to a GPU: its SMs, warps and parts, and where its arrays and results lie. Pure functions of a
/// valid program.
namespace tomograph::cuda {

/// A slot holds the result of one phase that is timed in total, or of one load of a phase that times each load.
inline constexpr std::int64_t slot_bytes = 8;

/// The SMs that actors name, without repetition.
[[nodiscard]] std::vector<std::int64_t> distinct_sms(const chase::Program& program);

/// The warps in which only the first thread stays, one bit each: the CTA's first warp, and those that actors name.
[[nodiscard]] std::uint32_t timed_warps(const chase::Program& program);

/// Threads that execute the loads of `actor`: as many as it asks for, limited to those of a CTA outside the timed
/// warps.
[[nodiscard]] std::int64_t physical_threads(const chase::Actor& actor, std::uint32_t timed_warps);

/// Offset of each array in `space`, shared or instruction memory; 0 for arrays elsewhere. The last entry is the end.
[[nodiscard]] std::vector<std::int64_t> offsets_in(const chase::Program& program, chase::Space space);

/// A place in constant memory.
struct ConstantPlace {
  std::int64_t bank = 0;
  std::int64_t offset = 0;
};

/// Place of each array in constant memory, one after another, each within a bank; the default for arrays elsewhere. The
/// last entry is the end.
[[nodiscard]] std::vector<ConstantPlace> constant_places(const chase::Program& program);

/// Banks of constant memory that the program needs, at least one.
[[nodiscard]] std::int64_t banks(const chase::Program& program);

/// Number of parts of a program, each of which is a CTA. The actors on one SM form a part. If one bank of constant
/// memory is not enough, the phases in each bank form a part, and all other phases belong to the first part.
[[nodiscard]] std::size_t parts(const chase::Program& program);
/// For each phase, the number of the part that executes it.
[[nodiscard]] std::vector<std::size_t> parts_of_phases(const chase::Program& program);

/// Slots that the phases of each part fill.
[[nodiscard]] std::vector<std::int64_t> slots(const chase::Program& program);
/// Slots of the part with the most.
[[nodiscard]] std::int64_t most_slots(const chase::Program& program);

/// Bytes that the arrays in global and texture memory take, alignment included.
[[nodiscard]] std::int64_t memory(const chase::Program& program);

/// Shared memory that the arrays take, the gap before the first one included.
[[nodiscard]] std::int64_t shared_arrays(const chase::Program& program);

/// Whether an actor executes instruction memory.
[[nodiscard]] bool has_code(const chase::Program& program);

}  // namespace tomograph::cuda

#endif
