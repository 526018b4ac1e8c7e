#include "analysis_contention.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numbers>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::l2_slices {

Threshold threshold_of(std::span<const double> apart, std::span<const double> again) {
  double squares = 0;
  for (std::size_t i = 0; i < apart.size(); ++i) squares += std::pow(std::log(apart[i] / again[i]), 2);
  // The difference of two measurements has twice the variance of one. Rounding in the device may leave none.
  const double deviation = std::max(std::sqrt(squares / static_cast<double>(2 * apart.size())), 1e-6);
  const double margin = std::numbers::ln2 / 2;
  return {analysis::median(apart) / std::numbers::sqrt2,
          cdf(complement(boost::math::normal(), std::min(margin / deviation, 30.0)))};
}

std::vector<SliceSearch::Pair> SliceSearch::pairs() const {
  std::vector<Pair> pairs;
  for (const auto& lines : left_) {
    for (std::size_t i = 1; i < lines.size(); ++i) pairs.emplace_back(lines.front(), lines[i]);
  }
  return pairs;
}

void SliceSearch::add(std::span<const double> rates, const Threshold& threshold) {
  std::size_t next = 0;
  for (std::size_t cluster = 0; cluster < left_.size(); ++cluster) {
    auto& lines = left_[cluster];
    if (lines.empty()) continue;
    Slice slice{cluster, {lines.front()}};
    std::vector<Line> others;
    for (std::size_t i = 1; i < lines.size(); ++i) {
      (rates[next++] < threshold.rate ? slice.lines : others).push_back(lines[i]);
    }
    found_.push_back(std::move(slice));
    lines = std::move(others);
  }
}

std::vector<SliceSearch::Slice> SliceSearch::slices() const {
  std::vector<Slice> slices = found_;
  for (std::size_t cluster = 0; cluster < left_.size(); ++cluster) {
    if (!left_[cluster].empty()) slices.push_back({cluster, left_[cluster]});
  }
  std::ranges::stable_sort(slices, {}, &Slice::cluster);
  return slices;
}

}  // namespace tomograph::l2_slices
