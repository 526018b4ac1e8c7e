#ifndef TOMOGRAPH_SIM_GPU_DISTURBANCE_HPP
#define TOMOGRAPH_SIM_GPU_DISTURBANCE_HPP

#include "sim/gpu/rules.hpp"

namespace tomograph::sim {

class Section;

/// An SM clock that switches at random moments between its nominal rate and `factor` times that rate. Latencies count
/// its cycles, so the part that memory contributes scales with the rate.
struct ClockSteps {
  double factor = 1;
  double share = 0;  ///< share of the time at the other rate
  double loads = 0;  ///< mean number of loads beyond the private caches for which it keeps the other rate
};

/// Another process whose lines evict those of the program from the L2.
struct Intruder {
  double lines_per_load = 0;  ///< lines that it loads into the L2 per load of the program beyond the private caches
};

[[nodiscard]] Broken violation(const ClockSteps& clock);

/// The tables `clock` and `intruder` in that of noise.
[[nodiscard]] ClockSteps read_clock_steps(const Section& section);
[[nodiscard]] Intruder read_intruder(const Section& section);

}  // namespace tomograph::sim

#endif
