#ifndef TOMOGRAPH_SIM_INSTRUCTION_SM_CLOCK_HPP
#define TOMOGRAPH_SIM_INSTRUCTION_SM_CLOCK_HPP

#include <cstdint>

#include "sim/gpu/description.hpp"
#include "sim/options.hpp"
#include "tomograph/experiment.hpp"
#include "tomograph/sm_runs.hpp"

namespace tomograph::sim {

/// Runs of `cycles` cycles as different SMs time them: with the overhead of reading the clock, and with jitter if the
/// options ask for noise.
[[nodiscard]] std::vector<SmRun> clocked_runs(const Gpu& gpu, const Options& options, const Experiment& experiment,
                                              double cycles, std::int64_t ctas, std::int64_t repetitions);

}  // namespace tomograph::sim

#endif
