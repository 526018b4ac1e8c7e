#include "sim/instruction/sm_clock.hpp"

#include <algorithm>
#include <cmath>

#include "sim/experiment_noise.hpp"

namespace tomograph::sim {

std::vector<SmRun> clocked_runs(const Gpu& gpu, const Options& options, const Experiment& experiment, double cycles,
                                std::int64_t ctas, std::int64_t repetitions) {
  const double sigma = options.noise ? gpu.instructions->sigma : 0;
  const auto overhead = static_cast<double>(gpu.instrument.total_overhead);
  Random random(noise_seed(experiment, options));
  std::vector<SmRun> runs;
  for (std::int64_t i = 0; i < repetitions; ++i) {
    const double jitter = sigma * draw_normal(random);
    const double seen = std::clamp(std::round(cycles + overhead + jitter), 1.0, 0x1p32 - 1);
    runs.push_back({static_cast<std::uint32_t>(seen), static_cast<std::uint32_t>(i % gpu.sm_count),
                    static_cast<std::uint32_t>(ctas), static_cast<std::uint32_t>(ctas)});
  }
  return runs;
}

}  // namespace tomograph::sim
