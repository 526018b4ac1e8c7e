#include "analysis_biweight.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::tlb {

namespace {

/// Values further away than this many deviations do not count. Of a normal sample, 4.6 % lie beyond.
constexpr double cutoff = 2;
constexpr int most_steps = 100;  // ends a search that does not converge

struct Sums {
  double weights = 0;
  double weighted = 0;
  double squares = 0;  ///< squared weights times squared distances
  std::size_t count = 0;
};

Sums sums(std::span<const double> sample, double location, double width) {
  Sums result;
  for (const double value : sample) {
    const double u = (value - location) / width;
    if (std::abs(u) >= 1) continue;
    const double weight = std::pow(1 - u * u, 2);
    result.weights += weight;
    result.weighted += weight * value;
    result.squares += std::pow(weight * (value - location), 2);
    ++result.count;
  }
  return result;
}

}  // namespace

Biweight biweight_near(std::span<const double> sample, double start, double near, double finest) {
  if (near <= 0 || finest <= 0) throw std::invalid_argument("near and finest must be positive");
  std::vector<double> close;
  std::ranges::copy_if(sample, std::back_inserter(close),
                       [&](double value) { return std::abs(value - start) <= near; });
  Biweight result{.location = start};
  if (close.empty()) return result;
  const double width = cutoff * std::max(finest, 1.4826 * analysis::median_absolute_deviation(close));
  result.location = analysis::median(close);
  Sums found;
  for (int step = 0; step < most_steps; ++step) {
    const double before = result.location;
    found = sums(sample, before, width);
    if (found.weights == 0) return result;
    result.location = found.weighted / found.weights;
    if (std::abs(result.location - before) < 1e-6 * width) break;
  }
  result.error = std::sqrt(found.squares) / found.weights;
  result.share = static_cast<double>(found.count) / static_cast<double>(sample.size());
  return result;
}

}  // namespace tomograph::tlb
