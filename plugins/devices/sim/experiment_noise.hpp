#ifndef TOMOGRAPH_SIM_EXPERIMENT_NOISE_HPP
#define TOMOGRAPH_SIM_EXPERIMENT_NOISE_HPP

#include <cstdint>

#include "sim/options.hpp"
#include "sim/random.hpp"
#include "tomograph/experiment.hpp"

namespace tomograph::sim {

/// Seed of the noise of one experiment: depends on all its parameters and on the seed of the options.
[[nodiscard]] std::uint64_t noise_seed(const Experiment& experiment, const Options& options);

/// A draw from the standard normal distribution.
[[nodiscard]] double draw_normal(Random& random);

}  // namespace tomograph::sim

#endif
