#ifndef TOMOGRAPH_SIM_KERNEL_SIMULATION_HPP
#define TOMOGRAPH_SIM_KERNEL_SIMULATION_HPP

#include <cstdint>
#include <vector>

#include "sim/gpu/description.hpp"
#include "sim/kernel/sm.hpp"

namespace tomograph::sim::timed {

struct KernelTimes {
  std::vector<Cycle> cycles;  ///< from the start to the last end on each SM, in the order of `KernelRun::sms`
  std::int64_t instructions = 0;
  double timed_latency = 0;  ///< mean of the timed load; 0 if there is none
  std::uint64_t l2_misses = 0;
  std::uint64_t row_misses = 0;
  std::vector<Cycle> section_cycles;  ///< of `KernelRun::section` on each SM

  [[nodiscard]] Cycle longest() const;
};

/// Runs a kernel on a GPU whose description has [timing], event by event. The L1 is cold at the start, the L2 has seen
/// `run.warm_passes` passes over the footprint. Translation, partitions and noise are not simulated.
/// @throws Refused as unsupported without [timing], or if the CTAs do not fit on an SM; std::invalid_argument for an SM
/// that the GPU does not have.
[[nodiscard]] KernelTimes simulate(const Gpu& gpu, const KernelRun& run);

}  // namespace tomograph::sim::timed

#endif
