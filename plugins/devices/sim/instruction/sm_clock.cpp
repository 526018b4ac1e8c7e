#include "sim/instruction/sm_clock.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <span>

#include "sim/random.hpp"

namespace tomograph::sim {

namespace {

std::uint64_t identity(const Experiment& experiment) {
  std::uint64_t digest = 0;
  for (const ArrayView& parameter : experiment.parameters) {
    for (const std::int64_t value : parameter.numbers<std::int64_t>()) {
      digest = mix(digest ^ mix(static_cast<std::uint64_t>(value)));
    }
  }
  return digest;
}

}  // namespace

std::vector<SmRun> clocked_runs(const Gpu& gpu, const Options& options, const Experiment& experiment, double cycles,
                                std::int64_t ctas, std::int64_t repetitions) {
  const boost::math::normal_distribution<double> standard;
  const double sigma = options.noise ? gpu.instructions->sigma : 0;
  const auto overhead = static_cast<double>(gpu.instrument.total_overhead);
  Random random(mix(identity(experiment) ^ mix(options.seed)));
  std::vector<SmRun> runs;
  for (std::int64_t i = 0; i < repetitions; ++i) {
    const double jitter = sigma * quantile(standard, random.unit() * (1 - 0x1p-52) + 0x1p-54);
    const double seen = std::clamp(std::round(cycles + overhead + jitter), 1.0, 0x1p32 - 1);
    runs.push_back({static_cast<std::uint32_t>(seen), static_cast<std::uint32_t>(i % gpu.sm_count),
                    static_cast<std::uint32_t>(ctas), static_cast<std::uint32_t>(ctas)});
  }
  return runs;
}

}  // namespace tomograph::sim
