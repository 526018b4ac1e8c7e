#ifndef TOMOGRAPH_CUDA_CHASE_SCHEDULE_HPP
#define TOMOGRAPH_CUDA_CHASE_SCHEDULE_HPP

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cuda/chase/kernels.hpp"
#include "tomograph/experiment/chase.hpp"

/// Which programs run in which launch, and on which SMs. No GPU is needed to decide this.
namespace tomograph::cuda {

/// What of a GPU bears on the schedule. All sizes in bytes.
struct Limits {
  std::int64_t sms = 0;
  std::int64_t wave_memory = 0;       ///< arrays of all programs of a wave; a program on its own may exceed it
  std::int64_t shared_per_sm = 0;     ///< the largest carve-out
  std::int64_t shared_per_block = 0;  ///< the most that a CTA can ask for, static and dynamic
  std::int64_t shared_reserved = 0;   ///< taken by the system beside what a CTA asks for
  std::int64_t shared_static = 0;     ///< taken by the kernel beside the arrays and slots
  std::int64_t texels = 0;            ///< of a linear texture
  std::int64_t texture_width = 0;     ///< of a two-dimensional texture, in texels
  std::int64_t texture_height = 0;
};

/// A slot holds what one timed phase or one load of an `each` phase brings.
inline constexpr std::int64_t slot_bytes = 8;

/// What decides the contents of constant memory. Programs that share a launch share it.
struct ConstantLayout {
  std::vector<std::int64_t> bytes;  ///< of each array
  std::vector<chase::Ring> rings;   ///< `Ring::array` counts the arrays in constant memory

  bool operator==(const ConstantLayout&) const = default;
};

/// What scheduling must know of a program.
struct Demand {
  std::vector<std::int64_t> sms;  ///< those that actors name, without repetition; `any_sm` among them at most once
  std::int64_t carveout = chase::default_carveout;
  std::int64_t dynamic_shared = 0;
  std::int64_t threads = 0;  ///< of a CTA
  Kernel kernel = Kernel::data;
  std::int64_t banks = 1;  ///< of constant memory, each with a CTA of its own on the program's only SM
  std::int64_t memory = 0;
  ConstantLayout constants = {};
  bool alone = false;

  /// Whether two programs can be parts of one launch, whose settings they share.
  [[nodiscard]] bool same_launch(const Demand& other) const {
    return carveout == other.carveout && dynamic_shared == other.dynamic_shared && threads == other.threads &&
           banks == other.banks && kernel == other.kernel;
  }
};

/// Why no schedule can satisfy `program`, a valid chase, or nothing.
[[nodiscard]] std::optional<std::string> impossibility(const chase::Program& program, const Limits& limits);

/// Which memory the device has too little of for `program`, a valid chase, or nothing.
[[nodiscard]] std::optional<std::string> shortage(const chase::Program& program, const Limits& limits);

/// The demand of a program that is neither impossible nor short of memory. Shared memory is asked for as large as the
/// carve-out, else in powers of two, reserved and static bytes included, so that it depends on the program alone and
/// programs of similar size share a launch. A program that names a warp runs in the largest CTA, for the same reason.
[[nodiscard]] Demand demand(const chase::Program& program, const Limits& limits);

/// The warps, one bit each, in which nobody but the first thread stays: the CTA's first warp, and those that actors
/// name.
[[nodiscard]] std::uint32_t timed_warps(const chase::Program& program);

/// Threads that stand for those of the actor: as many, as far as a CTA has them outside the timed warps.
[[nodiscard]] std::int64_t physical_threads(const chase::Program& program, const chase::Actor& actor);

/// Where the arrays in shared memory start in it; 0 for the others. The last entry is their end.
[[nodiscard]] std::vector<std::int64_t> shared_offsets(const chase::Program& program);

/// Where the arrays in instruction memory start in it; 0 for the others. The last entry is their end.
[[nodiscard]] std::vector<std::int64_t> code_offsets(const chase::Program& program);

/// A place in constant memory.
struct ConstantPlace {
  std::int64_t bank = 0;
  std::int64_t offset = 0;
};

/// Where the arrays in constant memory lie, one after the other, each within a bank; the default for the others. The
/// last entry is their end.
[[nodiscard]] std::vector<ConstantPlace> constant_places(const chase::Program& program);

/// Banks of constant memory that the program needs, at least one.
[[nodiscard]] std::int64_t banks(const chase::Program& program);

/// The SMs that actors name, without repetition.
[[nodiscard]] std::vector<std::int64_t> distinct_sms(const chase::Program& program);

/// The parts of a program, of which each is a CTA: the actors on one SM form one; where one bank of constant memory is
/// not enough, the phases in one bank form one, and all others belong to the first.
[[nodiscard]] std::size_t parts(const chase::Program& program);
[[nodiscard]] std::size_t part_of(const chase::Program& program, const chase::Phase& phase);

/// Slots that the phases of each part fill.
[[nodiscard]] std::vector<std::int64_t> slots(const chase::Program& program);

/// Bytes that the arrays in global and texture memory take, alignment included.
[[nodiscard]] std::int64_t memory(const chase::Program& program);

/// Where a program runs: `sms[i]` stands for `Demand::sms[i]`.
struct Placement {
  std::size_t program = 0;
  std::vector<std::int64_t> sms;
};

/// One launch. No two placements share an SM.
struct WavePlan {
  std::vector<Placement> placements;
};

/// Places all programs in waves, in order, each into the first wave that has room.
[[nodiscard]] std::vector<WavePlan> schedule(std::span<const Demand> demands, const Limits& limits);

}  // namespace tomograph::cuda

#endif
