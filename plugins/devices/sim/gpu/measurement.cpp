#include "sim/gpu/measurement.hpp"

#include "sim/gpu/section.hpp"

namespace tomograph::sim {

Broken violation(const Noise& noise) {
  if (noise.outlier_high < noise.outlier_low) {
    return Violation{"noise.outlier_cycles", "must be two numbers in ascending order"};
  }
  if (auto broken = violation(noise.clock)) return broken;
  if (noise.outlier_probability == 0 || noise.outlier_high > 0) return std::nullopt;
  return Violation{"noise.outlier_cycles", "must be given and more than 0, since outlier_probability is"};
}

Noise read_noise(const Section& section) {
  Noise noise;
  noise.l1_sigma = section.number("l1_sigma", 0);
  noise.l2_sigma = section.number("l2_sigma", 0);
  noise.dram_sigma = section.number("dram_sigma", 0);
  noise.outlier_probability = section.number("outlier_probability", 0);
  if (section.has("outlier_cycles")) {
    const auto range = section.integers("outlier_cycles");
    noise.outlier_low = range[0];
    noise.outlier_high = range[1];
  }
  if (const auto clock = section.optional_section("clock")) noise.clock = read_clock_steps(*clock);
  if (const auto intruder = section.optional_section("intruder")) noise.intruder = read_intruder(*intruder);
  return noise;
}

MeasuringKernel read_measuring_kernel(const Section& section) {
  return {section.integer("each_overhead", 0), section.integer("total_overhead", 0),
          section.integer("kernel_shared", 0)};
}

}  // namespace tomograph::sim
