#include <algorithm>
#include <stdexcept>

#include "analysis_average_latency.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::classical_methods {
namespace {

/// Indices of the first values after a step: a rise that is not much smaller than the greatest one.
std::vector<std::size_t> steps(std::span<const double> cycles) {
  // Steps are alike, one for each set, so a quarter leaves most room for noise on either side. Chosen by hand.
  constexpr double least_share = 0.25;
  double greatest = 0;
  for (std::size_t i = 1; i < cycles.size(); ++i) greatest = std::max(greatest, cycles[i] - cycles[i - 1]);
  std::vector<std::size_t> found;
  for (std::size_t i = 1; i < cycles.size() && greatest > 0; ++i) {
    if (cycles[i] - cycles[i - 1] >= least_share * greatest) found.push_back(i);
  }
  return found;
}

}  // namespace

std::optional<CacheParameters> wong(const SizeCurve& curve) {
  if (curve.bytes.size() != curve.cycles.size()) throw std::invalid_argument("a size curve needs one average per size");
  const std::vector<std::size_t> at = steps(curve.cycles);
  if (at.empty()) return std::nullopt;
  CacheParameters found{curve.bytes[at.front() - 1], {}, static_cast<std::int64_t>(at.size()), {}};
  if (at.size() == 1) return found;
  std::vector<double> widths;
  for (std::size_t i = 1; i < at.size(); ++i) {
    widths.push_back(static_cast<double>(curve.bytes[at[i]] - curve.bytes[at[i - 1]]));
  }
  found.line_size = static_cast<std::int64_t>(analysis::median(widths));
  found.ways = found.size / (*found.line_size * *found.sets);
  return found;
}

}  // namespace tomograph::classical_methods
