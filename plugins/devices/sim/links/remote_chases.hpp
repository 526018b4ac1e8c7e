#ifndef TOMOGRAPH_SIM_LINKS_REMOTE_CHASES_HPP
#define TOMOGRAPH_SIM_LINKS_REMOTE_CHASES_HPP

#include "sim/gpu/description.hpp"
#include "sim/options.hpp"
#include "tomograph/experiment.hpp"

namespace tomograph::sim {

/// Answers remote chases: every access takes the latency of its link, whatever the footprint.
[[nodiscard]] Arrays answer_remote_chase(const Gpu& gpu, const Options& options, const Experiment& experiment);

}  // namespace tomograph::sim

#endif
