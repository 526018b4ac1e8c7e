#include "measured.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "tomograph/analysis/confidence.hpp"

namespace tomograph::links {

analysis::Undisturbed Measured::undisturbed() const {
  if (derived) return *derived;
  return analysis::undisturbed(values, faster, confidence::links::interval);
}

Measured nothing(std::string reason) { return {.reason = std::move(reason)}; }

Measured rates_of(const Curve& curve) {
  if (curve.saturates) return {curve.rates()};
  return nothing("the rate still changes with the size at the largest copy");
}

Measured rates_of(const SmRates& rates) {
  if (rates.saturates) return {rates.rates};
  return nothing("the rate still rises with the number of CTAs");
}

Measured below(Measured rates, const Measured& copies) {
  if (!rates.reason.empty() || !copies.reason.empty()) return rates;
  if (rates.undisturbed().value <= copies.undisturbed().value) return rates;
  return nothing("SMs seem faster than copies both ways together, so not all of it crossed the link");
}

Measured sum_of(const std::vector<double>& one, const std::vector<double>& other) {
  Measured sum;
  std::ranges::transform(one, other, std::back_inserter(sum.values), std::plus());
  return sum;
}

Measured half_peak_of(const Curve& curve) {
  if (!curve.saturates) return nothing("the largest rate is not known");
  const auto size = half_peak_size(curve.points);
  if (!size) return nothing("the smallest copies reach half of the largest rate");
  const std::size_t point = *half_peak_point(curve.points);
  return {.values = curve.points[point].seconds, .derived = size};
}

Measured latency_of(const Chases& chases) {
  if (chases.points.empty()) return nothing("the GPU does not access this memory so");
  const auto found = plateau(chases.points);
  if (!found) return nothing("the latency depends on the size of the smallest rings");
  return {found->seconds, analysis::Faster::less};
}

}  // namespace tomograph::links
