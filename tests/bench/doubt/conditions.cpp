#include "conditions.hpp"

#include "sim/gpu/noise_scale.hpp"

namespace tomograph::bench {

namespace {

/// `factor` times the noise that the families draw, which is that of an H200.
Condition noise(const std::string& name, double factor, const std::string& meaning) {
  return {name, meaning, [factor](sim::Gpu& gpu) { gpu = sim::with_noise(gpu, factor); }};
}

}  // namespace

std::vector<Condition> conditions() {
  return {
      noise("silence", 0, "no noise"),
      noise("H200", 1, "the noise of an H200"),
      noise("x2", 2, "twice as much: deviations, and the rate of outliers"),
      noise("x5", 5, "five times"),
      noise("x10", 10, "ten times"),
      {"refresh", "one load from memory in a hundred is 200 to 2000 cycles late",
       [](sim::Gpu& gpu) { gpu.noise.outlier_probability = 0.01; }},
      {"clock", "for 30 % of the time, 5000 loads in a row, the SM clock is at 80 %",
       [](sim::Gpu& gpu) {
         gpu.noise.clock = {0.8, 0.3, 5000};
       }},
      {"intruder", "another process brings one line into L2 for every 1000 loads",
       [](sim::Gpu& gpu) { gpu.noise.intruder.lines_per_load = 1e-3; }},
      {"all", "twice the noise, refresh, clock and intruder together",
       [](sim::Gpu& gpu) {
         gpu = sim::with_noise(gpu, 2);
         gpu.noise.outlier_probability = 0.01;
         gpu.noise.clock = {0.8, 0.3, 5000};
         gpu.noise.intruder.lines_per_load = 1e-3;
       }},
  };
}

}  // namespace tomograph::bench
