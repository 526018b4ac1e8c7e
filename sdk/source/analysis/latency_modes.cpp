#include "tomograph/analysis/latency_modes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace tomograph::analysis {
namespace {

constexpr double bins_per_bandwidth = 4;  // rounding to bins widens the kernel by 0.3 %
constexpr int kernel_reach = 16;  // bins: 4 bandwidths, beyond which a Gaussian kernel is below 4e-4 of its peak
/// Standard deviations by which a valley must lie below its lower peak. A valley that is noise passes with a
/// probability of 3e-5 (one-sided normal), per pair of neighbouring peaks.
constexpr double least_significance = 4;
/// Share of the lower peak below which a valley separates modes: single clusters with jitter do not split, and clusters
/// of neighbouring latencies do. Chosen by hand.
constexpr double highest_valley = 0.5;

/// The scale in which the resolution is 1: the integral of dx / (absolute + relative x).
double scaled(double latency, const ModeResolution& resolution) {
  const double x = std::max(latency, 0.0);
  if (resolution.relative == 0) return x / resolution.absolute;
  return std::log1p(resolution.relative * x / resolution.absolute) / resolution.relative;
}

/// Half-open range of indices into a sorted sample.
struct Range {
  std::size_t begin;
  std::size_t end;
  [[nodiscard]] std::size_t size() const { return end - begin; }
};

/// Clusters of a sorted sequence: neighbours are at most `cluster_gap` apart.
std::vector<Range> clusters(std::span<const double> position) {
  std::vector<Range> found;
  std::size_t begin = 0;
  for (std::size_t i = 1; i <= position.size(); ++i) {
    if (i < position.size() && position[i] - position[i - 1] <= cluster_gap) continue;
    found.push_back({begin, i});
    begin = i;
  }
  return found;
}

/// Kernel density on a grid, in counts, with its Poisson variance.
struct Density {
  double origin = 0;
  std::vector<double> height;
  std::vector<double> variance;

  [[nodiscard]] double position(std::size_t bin) const {
    return origin + static_cast<double>(bin) / bins_per_bandwidth;
  }
};

/// The kernel by distance from its middle, in bins.
std::array<double, kernel_reach + 1> kernel_by_distance() {
  std::array<double, kernel_reach + 1> kernel{};
  for (std::size_t distance = 0; distance < kernel.size(); ++distance) {
    const double z = static_cast<double>(distance) / bins_per_bandwidth;
    kernel[distance] = std::exp(-z * z / 2);
  }
  return kernel;
}

Density kernel_density(std::span<const double> position) {
  const auto kernels = kernel_by_distance();
  Density density;
  density.origin = position.front() - kernel_reach / bins_per_bandwidth;
  const auto bin_of = [&](double x) {
    return static_cast<std::size_t>(std::lround((x - density.origin) * bins_per_bandwidth));
  };
  std::vector<double> count(bin_of(position.back()) + kernel_reach + 1);
  for (const double x : position) count[bin_of(x)] += 1;
  density.height.resize(count.size());
  density.variance.resize(count.size());
  for (std::size_t bin = 0; bin < count.size(); ++bin) {
    if (count[bin] == 0) continue;
    for (int offset = -kernel_reach; offset <= kernel_reach; ++offset) {
      const double kernel = kernels[static_cast<std::size_t>(std::abs(offset))];
      const auto at = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(bin) + offset);
      density.height[at] += count[bin] * kernel;
      density.variance[at] += count[bin] * kernel * kernel;
    }
  }
  return density;
}

/// Peaks of a density and the deepest bin between each two neighbours: valley[i] lies right of peak[i].
struct Extrema {
  std::vector<std::size_t> peak;
  std::vector<std::size_t> valley;
};

Extrema find_extrema(const Density& density) {
  Extrema found;
  const std::vector<double>& h = density.height;
  std::size_t lowest = 0;
  for (std::size_t i = 0; i < h.size(); ++i) {
    if (h[i] < h[lowest]) lowest = i;
    const bool rises = i == 0 || h[i] > h[i - 1];
    const bool falls = i + 1 == h.size() || h[i] >= h[i + 1];
    if (!rises || !falls) continue;
    if (!found.peak.empty()) found.valley.push_back(lowest);
    found.peak.push_back(i);
    lowest = i;
  }
  return found;
}

/// By how many standard deviations valley i lies below the lower of its peaks; 0 if it is not half as deep.
double significance(const Density& density, const Extrema& extrema, std::size_t i) {
  const std::size_t left = extrema.peak[i];
  const std::size_t right = extrema.peak[i + 1];
  const std::size_t lower = density.height[left] < density.height[right] ? left : right;
  const std::size_t valley = extrema.valley[i];
  if (density.height[valley] >= highest_valley * density.height[lower]) return 0;
  return (density.height[lower] - density.height[valley]) /
         std::sqrt(density.variance[lower] + density.variance[valley]);
}

/// Removes valley i and the lower of its two peaks.
void merge(const Density& density, Extrema& extrema, std::size_t i) {
  const bool left_is_lower = density.height[extrema.peak[i]] < density.height[extrema.peak[i + 1]];
  extrema.peak.erase(extrema.peak.begin() + static_cast<std::ptrdiff_t>(left_is_lower ? i : i + 1));
  extrema.valley.erase(extrema.valley.begin() + static_cast<std::ptrdiff_t>(i));
}

void merge_insignificant(const Density& density, Extrema& extrema) {
  while (!extrema.valley.empty()) {
    std::size_t least = 0;
    double least_value = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < extrema.valley.size(); ++i) {
      const double value = significance(density, extrema, i);
      if (value < least_value) {
        least = i;
        least_value = value;
      }
    }
    if (least_value >= least_significance) return;
    merge(density, extrema, least);
  }
}

/// Splits one cluster at the valleys of its density. `position` is that of the whole sample.
std::vector<Range> split(std::span<const double> position, Range cluster) {
  const auto members = position.subspan(cluster.begin, cluster.size());
  const Density density = kernel_density(members);
  Extrema extrema = find_extrema(density);
  merge_insignificant(density, extrema);
  std::vector<Range> parts;
  std::size_t begin = cluster.begin;
  for (const std::size_t valley : extrema.valley) {
    const auto cut = std::upper_bound(members.begin(), members.end(), density.position(valley));
    const std::size_t end = cluster.begin + static_cast<std::size_t>(cut - members.begin());
    parts.push_back({begin, end});
    begin = end;
  }
  parts.push_back({begin, cluster.end});
  return parts;
}

void require_positive(const ModeResolution& resolution) {
  if (!(resolution.absolute > 0) || !(resolution.relative >= 0) || !(resolution.min_weight >= 0))
    throw std::invalid_argument("a resolution needs absolute > 0, relative >= 0 and min_weight >= 0");
}

/// A cut between hits and misses with the share of each on its wrong side.
struct Cut {
  double low;
  double high;
  double false_miss;
  double false_hit;

  [[nodiscard]] double error() const { return false_miss + false_hit; }
};

/// All gaps between neighbouring values of both samples.
std::vector<Cut> cuts(std::span<const double> hits, std::span<const double> misses) {
  std::vector<double> h(hits.begin(), hits.end());
  std::vector<double> m(misses.begin(), misses.end());
  std::sort(h.begin(), h.end());
  std::sort(m.begin(), m.end());
  std::vector<double> all(h);
  all.insert(all.end(), m.begin(), m.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::vector<Cut> found;
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    const auto hits_above = h.end() - std::upper_bound(h.begin(), h.end(), all[i]);
    const auto misses_below = std::upper_bound(m.begin(), m.end(), all[i]) - m.begin();
    found.push_back({all[i], all[i + 1], static_cast<double>(hits_above) / static_cast<double>(h.size()),
                     static_cast<double>(misses_below) / static_cast<double>(m.size())});
  }
  return found;
}

/// (errors + 1/2) / (n + 1): mean of the posterior of the error rate under Jeffreys' prior.
double jeffreys(double share, std::size_t n) {
  const auto count = static_cast<double>(n);
  return (share * count + 0.5) / (count + 1);
}

}  // namespace

std::vector<Mode> modes(std::span<const double> sample, const ModeResolution& resolution) {
  require_positive(resolution);
  if (sample.empty()) return {};
  std::vector<double> sorted(sample.begin(), sample.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> position(sorted.size());
  std::transform(sorted.begin(), sorted.end(), position.begin(), [&](double x) { return scaled(x, resolution); });
  const auto total = static_cast<double>(sorted.size());
  const double least_members = std::max(2.0, resolution.min_weight * total);
  std::vector<Mode> found;
  for (const Range cluster : clusters(position)) {
    if (static_cast<double>(cluster.size()) < least_members) continue;
    for (const Range part : split(position, cluster)) {
      if (static_cast<double>(part.size()) < least_members) continue;
      const auto members = std::span(sorted).subspan(part.begin, part.size());
      found.push_back({median(members), quantile(members, 0.01), quantile(members, 0.99),
                       static_cast<double>(part.size()) / total});
    }
  }
  return found;
}

std::optional<Threshold> threshold_between(std::span<const double> hits, std::span<const double> misses,
                                           double max_error) {
  // Cuts this close to the best differ by less than sampling does; the widest gap among them is the safest.
  constexpr double equivalent = 1.0 / 200;
  if (hits.empty() || misses.empty()) return std::nullopt;
  const std::vector<Cut> all = cuts(hits, misses);
  if (all.empty()) return std::nullopt;
  const auto by_error = [](const Cut& a, const Cut& b) { return a.error() < b.error(); };
  const double least = std::min_element(all.begin(), all.end(), by_error)->error();
  const Cut* widest = nullptr;
  for (const Cut& cut : all) {
    if (cut.error() > least + equivalent) continue;
    if (widest == nullptr || cut.high - cut.low > widest->high - widest->low) widest = &cut;
  }
  if (std::max(widest->false_miss, widest->false_hit) > max_error) return std::nullopt;
  return Threshold{std::midpoint(widest->low, widest->high), jeffreys(widest->false_miss, hits.size()),
                   jeffreys(widest->false_hit, misses.size())};
}

}  // namespace tomograph::analysis
