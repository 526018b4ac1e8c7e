#include "analysis_heterogeneity.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <stdexcept>

namespace tomograph::memory_spectrum {

Heterogeneity heterogeneity(std::span<const Estimate> estimates) {
  double weights = 0;
  double squares = 0;
  double sum = 0;
  for (const auto& [value, error] : estimates) {
    if (!(error > 0)) throw std::invalid_argument("an estimate needs a positive error");
    const double weight = 1 / (error * error);
    weights += weight;
    squares += weight * weight;
    sum += weight * value;
  }
  if (estimates.size() < 2) return {};
  double q = 0;
  for (const auto& [value, error] : estimates) q += std::pow((value - sum / weights) / error, 2);
  const auto freedom = static_cast<double>(estimates.size() - 1);
  const boost::math::chi_squared_distribution<double> expected(freedom);
  return {.deviation = std::sqrt(std::max(0.0, (q - freedom) / (weights - squares / weights))),
          .chance = boost::math::cdf(boost::math::complement(expected, q))};
}

}  // namespace tomograph::memory_spectrum
