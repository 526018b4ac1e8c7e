#include "tomograph/analysis/proportion.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <stdexcept>

namespace tomograph::analysis {
namespace {

void require_counts(std::size_t successes, std::size_t trials) {
  if (successes > trials) throw std::invalid_argument("more successes than trials");
}

void require_probability(double p) {
  if (!(p >= 0 && p <= 1)) throw std::invalid_argument("a probability must be within [0, 1]");
}

void require_confidence(double confidence) {
  if (!(confidence > 0 && confidence < 1)) throw std::invalid_argument("a confidence must be within (0, 1)");
}

/// count * log(p), where nothing times log(0) is nothing.
double log_power(std::size_t count, double p) { return count == 0 ? 0 : static_cast<double>(count) * std::log(p); }

/// Logarithm of L(j) of confidence_from_agreement.
double log_agreement(std::size_t j, std::size_t n, double alternatives) {
  const auto a = static_cast<double>(j + 1);
  const auto b = static_cast<double>(n - j + 1);
  const double log_beta = boost::math::lgamma(a) + boost::math::lgamma(b) - boost::math::lgamma(a + b);
  const double above_guessing = boost::math::ibetac(a, b, 1 / (alternatives + 1));
  return log_beta + std::log(above_guessing) - static_cast<double>(n - j) * std::log(alternatives);
}

}  // namespace

Interval wilson(std::size_t successes, std::size_t trials, double confidence) {
  require_counts(successes, trials);
  require_confidence(confidence);
  if (trials == 0) return {0, 1};
  const auto n = static_cast<double>(trials);
  const double share = static_cast<double>(successes) / n;
  const double z = boost::math::quantile(boost::math::complement(boost::math::normal(), (1 - confidence) / 2));
  const double center = (share + z * z / (2 * n)) / (1 + z * z / n);
  const double half = z / (1 + z * z / n) * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  return {successes == 0 ? 0 : std::max(0.0, center - half), successes == trials ? 1 : std::min(1.0, center + half)};
}

double log_likelihood_ratio(std::size_t successes, std::size_t trials, double a, double b) {
  require_counts(successes, trials);
  require_probability(a);
  require_probability(b);
  const double log_a = log_power(successes, a) + log_power(trials - successes, 1 - a);
  const double log_b = log_power(successes, b) + log_power(trials - successes, 1 - b);
  if (std::isinf(log_a) && std::isinf(log_b)) throw std::invalid_argument("both rates rule the counts out");
  return log_a - log_b;
}

double posterior(double log_ratio, double prior) {
  require_probability(prior);
  if (prior == 0 || prior == 1) return prior;
  return 1 / (1 + (1 - prior) / prior * std::exp(-log_ratio));
}

double confidence_from_agreement(std::size_t agreeing, std::size_t total, std::size_t alternatives) {
  require_counts(agreeing, total);
  if (alternatives == 0) throw std::invalid_argument("without alternatives there is nothing to measure");
  const auto others = static_cast<double>(alternatives);
  const double right = log_agreement(agreeing, total, others);
  const double rival = log_agreement(total - agreeing, total, others);
  const double unseen = log_agreement(0, total, others);
  const double odds_against = std::exp(rival - right) + (others - 1) * std::exp(unseen - right);
  return (1 - systematic_error) / (1 + odds_against);
}

}  // namespace tomograph::analysis
