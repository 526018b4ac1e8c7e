#include "analysis_throughput.hpp"

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::tma {

double bytes_per_second(const ThroughputAnswer& answer) {
  return static_cast<double>(answer.ctas * answer.cta_bytes) / (1e-9 * answer.nanoseconds);
}

Bandwidth summarize(const ThroughputRequest& request, const std::vector<double>& values) {
  // Differences between two runs of the probe that the trials of one run do not show, as a share. Chosen on an H200.
  constexpr double resolution = 0.01;
  std::vector<double> sorted = values;
  std::ranges::sort(sorted);
  const double low = sorted.front();
  const double high = sorted.back();
  const double margin = high - low + resolution * high;
  return {request,
          analysis::median(values),
          sorted[std::min<std::size_t>(1, sorted.size() - 1)],
          {low - margin, high + margin}};
}

std::vector<ByTile> by_tile(const std::vector<Bandwidth>& bandwidths) {
  std::vector<ByTile> values;
  values.reserve(bandwidths.size());
  for (const Bandwidth& one : bandwidths) values.push_back({one.request.tile, one.value});
  return values;
}

std::vector<SaturatingTile> saturating_by_ctas(const std::map<std::int64_t, std::vector<ByTile>>& curves, double most,
                                               double share) {
  // Error of either bandwidth, as a share. Chosen on an H200.
  constexpr double error = 0.02;
  std::vector<SaturatingTile> all;
  for (const auto& [ctas, curve] : curves) {
    const auto tile = reaching_tile(curve, share * most);
    const auto low = reaching_tile(curve, share * (1 - error) * most);
    const auto high = reaching_tile(curve, share * (1 + error) * most);
    if (tile && low && high) all.push_back({ctas, *tile, {*low, *high}});
  }
  return all;
}

}  // namespace tomograph::tma
