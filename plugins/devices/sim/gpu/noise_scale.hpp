#ifndef TOMOGRAPH_SIM_GPU_NOISE_SCALE_HPP
#define TOMOGRAPH_SIM_GPU_NOISE_SCALE_HPP

#include "sim/gpu/description.hpp"

namespace tomograph::sim {

/// `gpu` with its noise multiplied by `factor`: every standard deviation, and the rates of outliers and of the intruder
/// up to 1.
[[nodiscard]] Gpu with_noise(Gpu gpu, double factor);

}  // namespace tomograph::sim

#endif
