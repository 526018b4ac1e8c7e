#include "tomograph/analysis/group_error.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <stdexcept>

namespace tomograph::analysis {

double reach_of_groups(std::span<const double> values, std::span<const std::size_t> groups, double probability) {
  if (values.empty() || values.size() != groups.size()) throw std::invalid_argument("each value needs a group");
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  std::map<std::size_t, double> deviations;
  for (std::size_t i = 0; i < values.size(); ++i) deviations[groups[i]] += values[i] - mean;
  if (deviations.size() < 2) return std::numeric_limits<double>::infinity();
  double squares = 0;
  for (const auto& [group, deviation] : deviations) squares += deviation * deviation;
  const double others = static_cast<double>(deviations.size()) - 1;
  const double error = std::sqrt(squares * (others + 1) / others) / count;
  const boost::math::students_t_distribution<double> of_means(others);
  return error * boost::math::quantile(boost::math::complement(of_means, (1 - probability) / 2));
}

}  // namespace tomograph::analysis
