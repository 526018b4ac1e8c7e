#include "sim/gpu/disturbance.hpp"

#include "sim/gpu/section.hpp"

namespace tomograph::sim {

Broken violation(const ClockSteps& clock) {
  if (clock.share == 0 || clock.loads > 0) return std::nullopt;
  return Violation{"noise.clock.loads", "is missing, but the clock steps for a share of the time"};
}

ClockSteps read_clock_steps(const Section& section) {
  return {section.number("factor", 1), section.number("share", 0), section.number("loads", 0)};
}

Intruder read_intruder(const Section& section) { return {section.number("lines_per_load", 0)}; }

}  // namespace tomograph::sim
