#include "analysis.hpp"

#include <algorithm>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::tma {

std::optional<LatencyFit> fit_latency(std::span<const ByTile> points) {
  if (points.empty()) return std::nullopt;
  const double least = points.front().value;
  std::vector<double> small;
  std::vector<ByTile> large;
  for (const ByTile& point : points) {
    if (point.value < 1.1 * least) {
      small.push_back(point.value);
    } else {
      large.push_back(point);
    }
  }
  if (large.size() < 3) return std::nullopt;
  std::vector<double> slopes;
  for (std::size_t i = 0; i < large.size(); ++i) {
    for (std::size_t j = i + 1; j < large.size(); ++j) {
      slopes.push_back((large[j].value - large[i].value) * 1024 / static_cast<double>(large[j].tile - large[i].tile));
    }
  }
  const double fixed = analysis::median(small);
  const auto [low, high] = std::ranges::minmax(small);
  return LatencyFit{fixed,
                    analysis::median(slopes),
                    {low - 0.01 * fixed, high + 0.01 * fixed},
                    {analysis::quantile(slopes, 0.1), analysis::quantile(slopes, 0.9)}};
}

std::optional<std::int64_t> winning_from(std::span<const ByTile> values, std::span<const std::vector<ByTile>> others,
                                         double tolerance) {
  std::optional<std::int64_t> from;
  for (std::size_t i = values.size(); i-- > 0;) {
    for (const auto& other : others) {
      if (values[i].value < other[i].value * (1 - tolerance)) return from;
    }
    from = values[i].tile;
  }
  return from;
}

std::int64_t saturating_tile(std::span<const ByTile> values, double share) {
  const double most = std::ranges::max(values, {}, &ByTile::value).value;
  return std::ranges::find_if(values, [&](const ByTile& one) { return one.value >= share * most; })->tile;
}

double bytes_per_second(const ThroughputAnswer& answer) {
  return static_cast<double>(answer.ctas * answer.cta_bytes) / (1e-9 * answer.nanoseconds);
}

}  // namespace tomograph::tma
