#include "analysis_effect.hpp"

#include <algorithm>
#include <array>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace tomograph::analysis {

namespace {

/// Points within a hypothesis' range of shares.
constexpr std::size_t share_points = 24;

using Rates = EffectControls::Rates;
constexpr std::size_t rate_points = EffectControls::rate_points;

/// Quantiles of Beta(events + 1/2, rest + 1/2), the posterior of a rate under Jeffreys' prior.
Rates posterior_rates(const EventCount& count) {
  if (count.events > count.tests) throw std::invalid_argument("more events than tests");
  const double a = static_cast<double>(count.events) + 0.5;
  const double b = static_cast<double>(count.tests - count.events) + 0.5;
  Rates rates{};
  for (std::size_t i = 0; i < rate_points; ++i) {
    rates[i] = boost::math::ibeta_inv(a, b, (static_cast<double>(i) + 0.5) / rate_points);
  }
  return rates;
}

/// Logarithm of the probability of one order of the counts, which all hypotheses share the number of orders with.
double log_probability(const EventCount& count, double rate) {
  // Keeps logarithms finite. Posteriors of fewer than 1e9 tests have no point below it.
  constexpr double least = 1e-12;
  const double bounded = std::clamp(rate, least, 1 - least);
  const std::size_t rest = count.tests - count.events;
  // Most counts are none or all. Then only one of the logarithms matters.
  const double of_events = count.events == 0 ? 0 : static_cast<double>(count.events) * std::log(bounded);
  const double of_rest = rest == 0 ? 0 : static_cast<double>(rest) * std::log1p(-bounded);
  return of_events + of_rest;
}

/// Logarithm of the mean of exp(logs).
double log_mean_exp(const std::vector<double>& logs) {
  const double most = std::ranges::max(logs);
  double sum = 0;
  for (const double one : logs) sum += std::exp(one - most);
  return most + std::log(sum / static_cast<double>(logs.size()));
}

double averaged(const Rates& base, const Rates& known, const EventCount& treated, double from, double to) {
  std::vector<double> logs;
  logs.reserve(rate_points * rate_points * share_points);
  for (const double without : base) {
    for (const double with : known) {
      for (std::size_t i = 0; i < share_points; ++i) {
        const double share = from + (to - from) * (static_cast<double>(i) + 0.5) / share_points;
        logs.push_back(log_probability(treated, without + share * (with - without)));
      }
    }
  }
  return log_mean_exp(logs);
}

}  // namespace

EventCount& EventCount::operator+=(const EventCount& other) {
  events += other.events;
  tests += other.tests;
  return *this;
}

EffectEvidence& EffectEvidence::operator+=(const EffectEvidence& other) {
  absent += other.absent;
  partial += other.partial;
  full += other.full;
  return *this;
}

EffectControls::EffectControls(const EventCount& base, const EventCount& known)
    : without_(posterior_rates(base)), with_(posterior_rates(known)) {}

EffectEvidence EffectControls::evidence(const EventCount& treated) const {
  if (treated.events > treated.tests) throw std::invalid_argument("more events than tests");
  return {.absent = averaged(without_, with_, treated, 0, 0.25),
          .partial = averaged(without_, with_, treated, 0.25, 0.75),
          .full = averaged(without_, with_, treated, 0.75, 1)};
}

EffectEvidence effect_evidence(const EventCount& base, const EventCount& known, const EventCount& treated) {
  return EffectControls(base, known).evidence(treated);
}

double EffectOdds::error() const { return 1 - std::max({absent, partial, full}); }

EffectOdds odds(const EffectEvidence& evidence, double partial_prior) {
  if (!(partial_prior >= 0 && partial_prior < 1)) throw std::invalid_argument("a prior must be within [0, 1)");
  const double extreme_prior = (1 - partial_prior) / 2;
  const double most = std::max({evidence.absent, evidence.partial, evidence.full});
  EffectOdds result{.absent = extreme_prior * std::exp(evidence.absent - most),
                    .partial = partial_prior * std::exp(evidence.partial - most),
                    .full = extreme_prior * std::exp(evidence.full - most)};
  const double sum = result.absent + result.partial + result.full;
  result.absent /= sum;
  result.partial /= sum;
  result.full /= sum;
  return result;
}

}  // namespace tomograph::analysis
