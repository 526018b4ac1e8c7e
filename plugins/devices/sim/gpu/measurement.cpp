#include "sim/gpu/measurement.hpp"

#include "sim/gpu/section.hpp"

namespace tomograph::sim {

Broken violation(const Noise& noise) {
  const auto lies = [](double value, double high) { return value >= 0 && value <= high; };
  if (!lies(noise.l1_sigma, 1000)) return Violation{"noise.l1_sigma", "must lie in [0, 1000]"};
  if (!lies(noise.l2_sigma, 1000)) return Violation{"noise.l2_sigma", "must lie in [0, 1000]"};
  if (!lies(noise.dram_sigma, 1000)) return Violation{"noise.dram_sigma", "must lie in [0, 1000]"};
  if (!lies(noise.outlier_probability, 1)) return Violation{"noise.outlier_probability", "must lie in [0, 1]"};
  if (auto broken = at_most("noise.outlier_cycles", noise.outlier_high, 1'000'000'000)) return broken;
  if (noise.outlier_low < 0 || noise.outlier_high < noise.outlier_low) {
    return Violation{"noise.outlier_cycles", "must be two numbers in ascending order, none negative"};
  }
  if (auto broken = violation(noise.clock)) return broken;
  return violation(noise.intruder);
}

Broken violation(const MeasuringKernel& kernel) {
  if (auto broken = cycles("instrument.each_overhead", kernel.each_overhead, 0)) return broken;
  if (auto broken = cycles("instrument.total_overhead", kernel.total_overhead, 0)) return broken;
  return at_least("instrument.kernel_shared", kernel.kernel_shared, 0);
}

Noise read_noise(const Section& section) {
  section.expect_only(
      {"l1_sigma", "l2_sigma", "dram_sigma", "outlier_probability", "outlier_cycles", "clock", "intruder"});
  Noise noise;
  noise.l1_sigma = section.number("l1_sigma", 0);
  noise.l2_sigma = section.number("l2_sigma", 0);
  noise.dram_sigma = section.number("dram_sigma", 0);
  noise.outlier_probability = section.number("outlier_probability", 0);
  if (section.has("outlier_cycles")) {
    const auto range = section.integers("outlier_cycles");
    if (range.size() != 2) section.refuse("outlier_cycles", "must be two numbers, the least and the most");
    noise.outlier_low = range[0];
    noise.outlier_high = range[1];
  }
  if (const auto clock = section.optional_section("clock")) noise.clock = read_clock_steps(*clock);
  if (const auto intruder = section.optional_section("intruder")) noise.intruder = read_intruder(*intruder);
  return noise;
}

MeasuringKernel read_measuring_kernel(const Section& section) {
  section.expect_only({"each_overhead", "total_overhead", "kernel_shared"});
  return {section.integer("each_overhead", 0), section.integer("total_overhead", 0),
          section.integer("kernel_shared", 0)};
}

}  // namespace tomograph::sim
