#include "analysis_coherence.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>

#include "tomograph/analysis/occupancy_roofline.hpp"

namespace tomograph::divergence {

namespace {

/// The first point from which on all are within `tolerance` of the fastest.
std::size_t first_level(std::span<const double> cpi, double tolerance) {
  const double best = std::ranges::min(cpi);
  std::size_t first = cpi.size();
  while (first > 0 && best > (1 - tolerance) * cpi[first - 1]) --first;
  return first;
}

}  // namespace

std::vector<WidthPoint> powers_of_two(std::span<const WidthPoint> curve) {
  std::vector<WidthPoint> powers;
  std::ranges::copy_if(curve, std::back_inserter(powers), [](const WidthPoint& point) {
    return std::has_single_bit(static_cast<std::uint64_t>(point.width));
  });
  return powers;
}

std::optional<Coherence> coherence(std::span<const WidthPoint> curve, double tolerance) {
  const auto level_of = [&](const std::function<double(const WidthPoint&)>& number) {
    std::vector<double> cpi;
    for (const WidthPoint& point : curve) cpi.push_back(number(point));
    return first_level(cpi, tolerance);
  };
  const std::size_t first = level_of([](const WidthPoint& point) { return analysis::repeated(point.cpi).mean; });
  if (first + 1 >= curve.size()) return std::nullopt;
  Coherence found{curve[first].width, 0, curve.front().cpi.size()};
  for (std::size_t i = 0; i < found.total; ++i) {
    if (level_of([i](const WidthPoint& point) { return point.cpi.at(i); }) == first) ++found.agreeing;
  }
  return found;
}

}  // namespace tomograph::divergence
