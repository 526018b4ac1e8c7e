#include "tomograph/analysis/occupancy.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>

#include "tomograph/analysis/proportion.hpp"

namespace tomograph::analysis {
namespace {

/// Moments of Y = min(ways, X), X ~ Binomial(lines, 1/sets).
struct Capped {
  double mean = 0;
  double square = 0;   ///< E[Y^2]
  double product = 0;  ///< E[X Y]
};

/// E[Y] and E[Y^2] from the upper tail; E[X Y] = ways E[X] - E[X (ways - X); X < ways].
Capped capped(std::size_t lines, std::size_t sets, std::size_t ways) {
  const boost::math::binomial_distribution<> in_set(static_cast<double>(lines), 1 / static_cast<double>(sets));
  const auto w = static_cast<double>(ways);
  Capped sums;
  sums.product = w * boost::math::mean(in_set);
  double tail = 1;  // P[X >= k]
  for (std::size_t i = 0; i < std::min(ways, lines + 1); ++i) {
    const auto k = static_cast<double>(i);
    const double p = boost::math::pdf(in_set, k);
    sums.product -= p * k * (w - k);
    tail = std::max(0.0, tail - p);
    sums.mean += tail;
    sums.square += (2 * k + 1) * tail;
  }
  return sums;
}

/// Distribution of a count around its mean.
struct Spread {
  double least = 0;
  double mean = 0;
  double variance = 0;
};

/// Lines of the sample that were lost. If all lines were sampled, no fewer than what exceeds the capacity.
Spread lost(const Retention& seen, const Retained& expected, std::size_t capacity) {
  const auto n = static_cast<double>(seen.lines);
  const auto m = static_cast<double>(seen.sampled);
  const double share = 1 - expected.mean / n;
  const double without_replacement = n > 1 ? (n - m) / (n - 1) : 0;
  const double least = seen.sampled == seen.lines ? std::max(0.0, n - static_cast<double>(capacity)) : 0;
  return {least, m * share, m * share * (1 - share) * without_replacement + m * m / (n * n) * expected.variance};
}

/// P[count <= k] of a rounded, shifted gamma distribution: skewed where the mean is near the least value, as the loss
/// is for few sets; normal far from it.
double cumulative(const Spread& spread, double k) {
  constexpr double least_variance = 0.01;  // far below the 1/12 of rounding, so that it changes no probability
  const double excess = std::max(spread.mean - spread.least, 1e-6);
  const double scale = std::max(spread.variance, least_variance) / excess;
  const double upper = k + 0.5 - spread.least;
  return upper <= 0 ? 0 : boost::math::cdf(boost::math::gamma_distribution<>(excess / scale, scale), upper);
}

/// log P[retained | candidate].
double log_likelihood(const Retention& seen, const Spread& spread) {
  // A disturbed count may be any number. So no count of n lines changes the odds by a factor of more than 1000 (n + 1).
  constexpr double anything = 1e-3;
  const auto k = static_cast<double>(seen.sampled - seen.retained);
  const double probability = cumulative(spread, k) - (k > 0 ? cumulative(spread, k - 1) : 0);
  return std::log(anything / (static_cast<double>(seen.sampled) + 1) + (1 - anything) * probability);
}

double log_likelihood(std::span<const Retention> observations, const SetCandidate& candidate, std::size_t capacity) {
  std::map<std::size_t, Retained> expected;  // by lines, which repeat from draw to draw
  double sum = 0;
  for (const Retention& seen : observations) {
    if (seen.sampled == 0) continue;
    const auto [entry, is_new] = expected.try_emplace(seen.lines);
    if (is_new) entry->second = retained_lines(seen.lines, candidate.sets, candidate.ways);
    sum += log_likelihood(seen, lost(seen, entry->second, capacity));
  }
  return sum;
}

void require_valid(std::span<const Retention> observations) {
  for (const Retention& seen : observations) {
    if (seen.retained > seen.sampled || seen.sampled > seen.lines)
      throw std::invalid_argument("a retention needs retained <= sampled <= lines");
  }
}

SetCandidate candidate(std::size_t capacity, std::size_t sets) {
  if (sets == 0 || capacity < sets || capacity % sets != 0)
    throw std::invalid_argument(std::to_string(sets) + " sets cannot share " + std::to_string(capacity) +
                                " lines evenly");
  return {sets, capacity / sets, 0};
}

}  // namespace

Retained retained_lines(std::size_t lines, std::size_t sets, std::size_t ways) {
  if (sets == 0 || ways == 0) throw std::invalid_argument("a cache has at least one set of one way");
  if (lines == 0) return {};
  const auto n = static_cast<double>(lines);
  const auto s = static_cast<double>(sets);
  if (sets == 1) return {std::min(n, static_cast<double>(ways)), 0};
  const Capped y = capped(lines, sets, ways);
  const double covariance = y.product - n / s * y.mean;
  const double variance = y.square - y.mean * y.mean - covariance * covariance / (n / s * (1 - 1 / s));
  return {s * y.mean, s * std::max(variance, 0.0)};
}

SetEstimate estimate_sets(std::span<const Retention> observations, std::size_t capacity,
                          std::span<const std::size_t> candidate_sets) {
  if (candidate_sets.empty()) throw std::invalid_argument("there is no candidate number of sets");
  require_valid(observations);
  SetEstimate estimate;
  std::vector<double> log_probability;
  for (const std::size_t sets : candidate_sets) {
    estimate.candidates.push_back(candidate(capacity, sets));
    log_probability.push_back(log_likelihood(observations, estimate.candidates.back(), capacity));
  }
  const double most = *std::max_element(log_probability.begin(), log_probability.end());
  double total = 0;
  for (const double p : log_probability) total += std::exp(p - most);
  for (std::size_t i = 0; i < log_probability.size(); ++i)
    estimate.candidates[i].probability = std::exp(log_probability[i] - most) / total;
  estimate.best =
      *std::max_element(estimate.candidates.begin(), estimate.candidates.end(),
                        [](const SetCandidate& a, const SetCandidate& b) { return a.probability < b.probability; });
  estimate.confidence = (1 - systematic_error) * estimate.best.probability;
  return estimate;
}

}  // namespace tomograph::analysis
