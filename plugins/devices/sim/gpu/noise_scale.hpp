#ifndef TOMOGRAPH_SIM_GPU_NOISE_SCALE_HPP
#define TOMOGRAPH_SIM_GPU_NOISE_SCALE_HPP

#include "sim/gpu/description.hpp"

namespace tomograph::sim {

/// The same GPU with `factor` times the noise: every standard deviation and the rates of outliers and of the intruder
/// are multiplied, as far as they may go.
[[nodiscard]] Gpu with_noise(Gpu gpu, double factor);

}  // namespace tomograph::sim

#endif
