#include "measured.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::links {

Measured rates_of(const Curve& curve) {
  if (curve.saturates) return {curve.rates()};
  return {{}, "the rate still changes with the size at the largest copy"};
}

Measured rates_of(const SmRates& rates) {
  if (rates.saturates) return {rates.rates};
  return {{}, "the rate still rises with the number of CTAs"};
}

Measured below(Measured rates, const Measured& copies) {
  if (!rates.reason.empty() || !copies.reason.empty()) return rates;
  if (analysis::median(rates.values) <= analysis::median(copies.values)) return rates;
  return {{}, "SMs seem faster than copies both ways together, so not all of it crossed the link"};
}

Measured sum_of(const std::vector<double>& one, const std::vector<double>& other) {
  Measured sum;
  std::ranges::transform(one, other, std::back_inserter(sum.values), std::plus());
  return sum;
}

Measured half_peak_of(const Curve& curve) {
  if (!curve.saturates) return {{}, "the largest rate is not known"};
  Measured sizes;
  for (std::size_t i = 0; i < curve.points.front().seconds.size(); ++i) {
    const auto size = half_peak_size(curve.points, i);
    if (!size) return {{}, "the smallest copies reach half of the largest rate"};
    sizes.values.push_back(*size);
  }
  return sizes;
}

Measured latency_of(const Chases& chases) {
  if (chases.points.empty()) return {{}, "the GPU does not access this memory so"};
  const auto found = plateau(chases.points);
  if (!found) return {{}, "the latency depends on the size of the smallest rings"};
  return {found->seconds};
}

}  // namespace tomograph::links
