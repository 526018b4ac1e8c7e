#ifndef TOMOGRAPH_SIM_STREAMING_INSTRUMENT_HPP
#define TOMOGRAPH_SIM_STREAMING_INSTRUMENT_HPP

#include "sim/gpu/description.hpp"
#include "sim/options.hpp"
#include "tomograph/experiment.hpp"

namespace tomograph::sim {

/// Answers streaming programs, in closed form. The first level that holds the footprint serves each pass. The rate is
/// the minimum of the rates of that level, of all levels before it, of the SMs' issue, and of what Little's law allows
/// for the bytes in flight. Writes do not wait.
[[nodiscard]] Arrays answer_streaming(const Gpu& gpu, const Options& options, const Experiment& experiment);

}  // namespace tomograph::sim

#endif
