#ifndef TOMOGRAPH_SIM_DIVERGENCE_INSTRUMENT_HPP
#define TOMOGRAPH_SIM_DIVERGENCE_INSTRUMENT_HPP

#include "sim/gpu/description.hpp"
#include "sim/options.hpp"
#include "tomograph/experiment.hpp"

namespace tomograph::sim {

/// Answers experiments on thread divergence. All threads of a group execute every branch that one of them follows, one
/// branch after the other (Lemeire, Cornelis, Segers 2016, section V-D). A group is the unit of scheduling, a warp on
/// most GPUs.
[[nodiscard]] Arrays answer_divergence(const Gpu& gpu, const Options& options, const Experiment& experiment);

}  // namespace tomograph::sim

#endif
