#ifndef TOMOGRAPH_CUDA_CHASE_SCHEDULE_HPP
#define TOMOGRAPH_CUDA_CHASE_SCHEDULE_HPP

#include <cstdint>
#include <span>
#include <vector>

#include "cuda/chase/feasibility.hpp"
#include "cuda/chase/kernels.hpp"
#include "tomograph/chase.hpp"

/// Which programs run in which launch, and on which SMs. No GPU is needed to decide this.
namespace tomograph::cuda {

/// What determines the contents of constant memory. Programs that share a launch have the same.
struct ConstantLayout {
  std::vector<std::int64_t> bytes;  ///< of each array
  std::vector<chase::Ring> rings;   ///< `Ring::array` counts the arrays in constant memory

  bool operator==(const ConstantLayout&) const = default;
};

/// What the schedule depends on of a program.
struct Demand {
  std::vector<std::int64_t> sms;  ///< the SMs that actors name, without repetition; `any_sm` at most once
  std::int64_t carveout = chase::default_carveout;
  std::int64_t dynamic_shared = 0;
  std::int64_t threads = 0;  ///< of a CTA
  Kernel kernel = Kernel::data;
  std::int64_t banks = 1;  ///< of constant memory, each with its own CTA on the program's only SM
  std::int64_t memory = 0;
  ConstantLayout constants = {};
  bool alone = false;

  /// Whether two programs can be parts of one launch, whose settings they share.
  [[nodiscard]] bool same_launch(const Demand& other) const {
    return carveout == other.carveout && dynamic_shared == other.dynamic_shared && threads == other.threads &&
           banks == other.banks && kernel == other.kernel;
  }
};

/// The demand of a program that is neither impossible nor short of memory. It depends on the program alone. Shared
/// memory is rounded up to the carve-out, or else to a power of two, reserved and static bytes included, so that
/// programs of similar size share a launch. For the same reason a program that names a warp runs in the largest CTA.
[[nodiscard]] Demand demand(const chase::Program& program, const Limits& limits);

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
