#ifndef TOMOGRAPH_SIM_GPU_CONDITIONS_HPP
#define TOMOGRAPH_SIM_GPU_CONDITIONS_HPP

#include <span>
#include <vector>

#include "sim/gpu/rules.hpp"
#include "tomograph/abi/conditions.h"

namespace tomograph::sim {

class Section;

/// What the GPU tells of its state from some time on. It does not change what experiments measure.
struct Conditions {
  double after = 0;          ///< seconds since the device was opened
  tomograph_reading told{};  ///< NaN, or an unknown set, where it tells nothing
};

[[nodiscard]] Broken violation(const std::vector<Conditions>& conditions);

[[nodiscard]] std::vector<Conditions> read_conditions(const Section& root);

/// Copies into `reading` what the GPU tells after so many seconds. Before the first of `conditions` it tells nothing.
void tell(std::span<const Conditions> conditions, double seconds, tomograph_reading& reading);

}  // namespace tomograph::sim

#endif
