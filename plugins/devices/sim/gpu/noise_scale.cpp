#include "sim/gpu/noise_scale.hpp"

#include <algorithm>

namespace tomograph::sim {

Gpu with_noise(Gpu gpu, double factor) {
  Noise& noise = gpu.noise;
  for (double* deviation : {&noise.l1_sigma, &noise.l2_sigma, &noise.dram_sigma}) *deviation *= factor;
  for (double* rate : {&noise.outlier_probability, &noise.intruder.lines_per_load})
    *rate = std::min(1.0, *rate * factor);
  if (gpu.instructions) gpu.instructions->sigma *= factor;
  if (gpu.shared_memory) gpu.shared_memory->sigma *= factor;
  if (gpu.bandwidth) gpu.bandwidth->sigma *= factor;
  if (gpu.host) gpu.host->sigma *= factor;
  gpu.node.sigma *= factor;
  return gpu;
}

}  // namespace tomograph::sim
