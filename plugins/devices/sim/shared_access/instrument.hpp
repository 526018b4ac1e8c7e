#ifndef TOMOGRAPH_SIM_SHARED_ACCESS_INSTRUMENT_HPP
#define TOMOGRAPH_SIM_SHARED_ACCESS_INSTRUMENT_HPP

#include "sim/gpu/description.hpp"
#include "sim/options.hpp"
#include "tomograph/experiment.hpp"

namespace tomograph::sim {

/// Answers experiments on shared memory, in closed form. For one access of every stream there are three bounds: the
/// passes of the banks, the issue of the schedulers, and the latency of one load. The largest determines the time, so
/// throughput over warps x streams rises to a plateau (Little's law).
[[nodiscard]] Arrays answer_shared_access(const Gpu& gpu, const Options& options, const Experiment& experiment);

}  // namespace tomograph::sim

#endif
