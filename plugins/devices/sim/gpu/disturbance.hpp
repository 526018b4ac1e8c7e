#ifndef TOMOGRAPH_SIM_GPU_DISTURBANCE_HPP
#define TOMOGRAPH_SIM_GPU_DISTURBANCE_HPP

#include "sim/gpu/rules.hpp"

namespace tomograph::sim {

class Section;

/// An SM clock that steps between its nominal rate and `factor` times it, at random moments in mid-run. Latencies are
/// in cycles of that clock, so what memory adds to them scales with it.
struct ClockSteps {
  double factor = 1;
  double share = 0;  ///< of the time at that rate
  double loads = 0;  ///< loads beyond the private caches that it stays there, in the mean
};

/// Another process, whose lines evict others from L2.
struct Intruder {
  double lines_per_load = 0;  ///< that it brings into L2 while the program makes one load beyond the private caches
};

[[nodiscard]] Broken violation(const ClockSteps& clock);

/// The tables `clock` and `intruder` in that of noise.
[[nodiscard]] ClockSteps read_clock_steps(const Section& section);
[[nodiscard]] Intruder read_intruder(const Section& section);

}  // namespace tomograph::sim

#endif
