#include "tomograph/analysis/undisturbed.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <vector>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::analysis {

namespace {

/// In one of ten runs, other users of the host slowed more than three quarters of the repetitions of a copy.
constexpr double fastest = 0.1;

}  // namespace

Undisturbed undisturbed(std::span<const double> sample, Faster faster, double confidence) {
  const double share = faster == Faster::less ? fastest : 1 - fastest;
  Undisturbed found{.value = quantile(sample, share)};
  std::vector<double> sorted(sample.begin(), sample.end());
  std::ranges::sort(sorted);
  const std::size_t size = sorted.size();
  const boost::math::binomial below(static_cast<double>(size), share);
  // The k-th smallest lies above the quantile if fewer than k lie below it.
  const auto above = [&](std::size_t k) { return cdf(below, static_cast<double>(k - 1)); };
  const double miss = (1 - confidence) / 2;
  std::size_t low = 1;
  while (low < size && above(low + 1) <= miss) ++low;
  std::size_t high = size;
  while (high > low + 1 && 1 - above(high - 1) <= miss) --high;
  found.low = sorted[low - 1];
  found.high = sorted[high - 1];
  found.coverage = above(high) - above(low);
  return found;
}

Undisturbed widened(Undisturbed found, double factor) {
  found.low = std::min(found.low, found.value / factor);
  found.high = std::max(found.high, found.value * factor);
  return found;
}

}  // namespace tomograph::analysis
