#ifndef TOMOGRAPH_SIM_GPU_MEASUREMENT_HPP
#define TOMOGRAPH_SIM_GPU_MEASUREMENT_HPP

#include <cstdint>

#include "sim/gpu/disturbance.hpp"
#include "sim/gpu/rules.hpp"

namespace tomograph::sim {

class Section;

/// What makes repeated measurements differ.
struct Noise {
  double l1_sigma = 0;
  double l2_sigma = 0;
  double dram_sigma = 0;
  double outlier_probability = 0;
  std::int64_t outlier_low = 0;
  std::int64_t outlier_high = 0;
  ClockSteps clock = {};
  Intruder intruder = {};
};

/// Costs of the measuring kernel: cycles of its clock reads, and the shared memory that it occupies.
struct MeasuringKernel {
  std::int64_t each_overhead = 0;
  std::int64_t total_overhead = 0;
  std::int64_t kernel_shared = 0;
};

[[nodiscard]] Broken violation(const Noise& noise);

[[nodiscard]] Noise read_noise(const Section& section);
[[nodiscard]] MeasuringKernel read_measuring_kernel(const Section& section);

}  // namespace tomograph::sim

#endif
