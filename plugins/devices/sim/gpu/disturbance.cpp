#include "sim/gpu/disturbance.hpp"

#include "sim/gpu/section.hpp"

namespace tomograph::sim {

Broken violation(const ClockSteps& clock) {
  if (!(clock.factor > 0 && clock.factor <= 100)) return Violation{"noise.clock.factor", "must lie in (0, 100]"};
  if (!(clock.share >= 0 && clock.share < 1)) return Violation{"noise.clock.share", "must lie in [0, 1)"};
  if (clock.share > 0 && !(clock.loads >= 1)) return Violation{"noise.clock.loads", "must be at least 1"};
  return std::nullopt;
}

Broken violation(const Intruder& intruder) {
  if (intruder.lines_per_load >= 0 && intruder.lines_per_load <= 1) return std::nullopt;
  return Violation{"noise.intruder.lines_per_load", "must lie in [0, 1]"};
}

ClockSteps read_clock_steps(const Section& section) {
  section.expect_only({"factor", "share", "loads"});
  return {section.number("factor", 1), section.number("share", 0), section.number("loads", 0)};
}

Intruder read_intruder(const Section& section) {
  section.expect_only({"lines_per_load"});
  return {section.number("lines_per_load", 0)};
}

}  // namespace tomograph::sim
