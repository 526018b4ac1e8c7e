#include "sim/experiment_noise.hpp"

#include <boost/math/distributions/normal.hpp>

namespace tomograph::sim {

std::uint64_t noise_seed(const Experiment& experiment, const Options& options) {
  std::uint64_t digest = 0;
  for (const ArrayView& parameter : experiment.parameters) {
    for (const std::int64_t value : parameter.numbers<std::int64_t>()) {
      digest = mix(digest ^ mix(static_cast<std::uint64_t>(value)));
    }
  }
  return mix(digest ^ mix(options.seed));
}

double draw_normal(Random& random) {
  // Inside (0, 1), whose ends have no finite quantile.
  const double probability = random.unit() * (1 - 0x1p-52) + 0x1p-54;
  return quantile(boost::math::normal_distribution<double>(), probability);
}

}  // namespace tomograph::sim
