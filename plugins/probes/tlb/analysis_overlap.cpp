#include "analysis_overlap.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <iterator>
#include <vector>

namespace tomograph::tlb {

namespace {

struct Mixture {
  double location = 0;
  double deviation = 1;
  double lower = 0.45;  ///< share of the mode at 0
  double upper = 0.45;  ///< of the other one; the rest lies anywhere
};

/// One step of expectation and maximization.
Mixture step(std::span<const double> sample, double range, const Mixture& before) {
  const boost::math::normal at_zero(0, before.deviation);
  const boost::math::normal above(before.location, before.deviation);
  const double anywhere = (1 - before.lower - before.upper) / range;
  double lower = 0;
  double upper = 0;
  double sum = 0;
  double squares = 0;
  for (const double value : sample) {
    const double of_lower = before.lower * pdf(at_zero, value);
    const double of_upper = before.upper * pdf(above, value);
    const double all = of_lower + of_upper + anywhere;
    if (all <= 0) continue;
    lower += of_lower / all;
    upper += of_upper / all;
    sum += of_upper / all * value;
    squares += of_lower / all * value * value + of_upper / all * std::pow(value - before.location, 2);
  }
  if (upper <= 0) return {};
  constexpr double finest = 0.3;  // a clock's step has 0.29
  const auto count = static_cast<double>(sample.size());
  return {sum / upper, std::max(finest, std::sqrt(squares / (lower + upper))), lower / count, upper / count};
}

Mixture fit(std::span<const double> sample, double range, Mixture found) {
  constexpr int most_steps = 500;  // ends a search that does not converge
  constexpr double still = 1e-4;   // of a deviation
  for (int steps = 0; steps < most_steps && !sample.empty(); ++steps) {
    const double before = found.location;
    found = step(sample, range, found);
    if (std::abs(found.location - before) < still * found.deviation) break;
  }
  return found;
}

}  // namespace

UpperMode upper_mode(std::span<const double> sample, double low, double high, double location, double deviation) {
  constexpr std::size_t parts = 10;  // more tell the error no better, and each takes a fit
  std::vector<double> inner;
  std::ranges::copy_if(sample, std::back_inserter(inner), [&](double one) { return one >= low && one <= high; });
  if (inner.size() < parts) return {.location = location};
  const Mixture whole = fit(inner, high - low, {.location = location, .deviation = deviation});
  double squares = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    std::vector<double> others;
    for (std::size_t i = 0; i < inner.size(); ++i) {
      if (i % parts != part) others.push_back(inner[i]);
    }
    squares += std::pow(fit(others, high - low, whole).location - whole.location, 2);
  }
  const double error = std::sqrt(squares * (parts - 1) / parts);
  const double counted = static_cast<double>(inner.size()) / static_cast<double>(sample.size());
  return {whole.location, error, whole.upper * counted, whole.lower * counted};
}

}  // namespace tomograph::tlb
