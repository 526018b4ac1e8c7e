#include "analysis_contention.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::l2_slices {

namespace {

/// Of the logarithm of a rate.
constexpr double least_deviation = 1e-6;

}  // namespace

Threshold threshold_of(const Calibration& calibration) {
  const auto& [alone, apart, again] = calibration;
  const double one = analysis::median(alone);
  const double two = analysis::median(apart);
  double repeats = 0;
  for (std::size_t i = 0; i < apart.size(); ++i) repeats += std::pow(std::log(apart[i] / again[i]), 2);
  double singles = 0;
  for (const double rate : alone) singles += std::pow(std::log(rate / one), 2);
  // The difference of two measurements has twice the variance of one. Rounding in the device may leave none.
  const double variance = std::max({repeats / static_cast<double>(2 * apart.size()),
                                    singles / static_cast<double>(alone.size()), least_deviation * least_deviation});
  const double margin = std::max(std::log(two / one) / 2, 0.0);
  return {std::sqrt(one * two), cdf(complement(boost::math::normal(), std::min(margin / std::sqrt(variance), 30.0)))};
}

Sharing sharing_of(std::size_t slices, std::span<const double> rates, const Threshold& threshold) {
  Sharing sharing;
  std::vector<std::size_t> group_of(slices);
  const auto share = [&](std::size_t i, std::size_t j) { return rates[i * (i - 1) / 2 + j] < threshold.rate; };
  for (std::size_t i = 0; i < slices; ++i) {
    std::size_t first = 0;
    while (first < i && !share(i, first)) ++first;
    group_of[i] = first < i ? group_of[first] : sharing.groups.size();
    if (first == i) sharing.groups.emplace_back();
    sharing.groups[group_of[i]].push_back(i);
    for (std::size_t j = 0; j < i; ++j) sharing.contradictions += share(i, j) != (group_of[i] == group_of[j]) ? 1 : 0;
  }
  return sharing;
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
