#include "tomograph/cache/retained_bytes.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tomograph::cache {

RetainedBytes pooled(std::span<const RetainedBytes> values) {
  double weight = 0;
  double sum = 0;
  for (const RetainedBytes& value : values) {
    weight += 1 / (value.error * value.error);
    sum += value.mean / (value.error * value.error);
  }
  const double mean = sum / weight;
  double chi = 0;
  double within = 0;
  const auto between = std::ssize(values) - 1;
  std::int64_t degrees = between;
  for (const RetainedBytes& value : values) {
    chi += (value.mean - mean) * (value.mean - mean) / value.error / value.error;
    within += value.scatter;
    degrees += value.degrees;
  }
  const double scatter = between == 0 ? 1 : std::max(1.0, chi / static_cast<double>(between));
  return {mean, std::sqrt(scatter / weight), chi + within, degrees};
}

RetainedBytes level_of(std::span<const RetainedBytes> rising) {
  if (rising.empty()) throw std::invalid_argument("there are no footprints");
  constexpr double significant = 3;  // false alarm 1.3e-3 (one-sided normal)
  const auto is_above = [](const RetainedBytes& later, const RetainedBytes& first) {
    return later.mean - first.mean > significant * std::hypot(later.error, first.error);
  };
  while (rising.size() > 1) {
    const auto later = rising.subspan(1);
    const auto below_all = [&](const RetainedBytes& one) { return is_above(one, rising.front()); };
    if (!std::ranges::all_of(later, below_all)) break;
    rising = later;
  }
  return pooled(rising);
}

}  // namespace tomograph::cache
