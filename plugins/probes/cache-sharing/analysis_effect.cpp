#include "analysis_effect.hpp"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace tomograph::analysis {

namespace {

constexpr std::size_t rate_points = EffectControls::rate_points;
/// Points within a hypothesis' range of shares.
constexpr std::size_t share_points = 24;

/// Shares of the effect between which it is partial.
constexpr double least_partial = 0.25;
constexpr double most_partial = 0.75;
/// Keeps logarithms finite. Posteriors of fewer than 1e9 tests have no point below it.
constexpr double least_rate = 1e-12;

using Rates = EffectControls::Rates;
using Logarithms = EffectControls::Logarithms;

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

/// Of shares of the effect between `from` and `to`.
Logarithms logarithms(const Rates& base, const Rates& known, double from, double to) {
  Logarithms logs;
  logs.event.reserve(rate_points * rate_points * share_points);
  logs.none.reserve(logs.event.capacity());
  for (const double without : base) {
    for (const double with : known) {
      for (std::size_t i = 0; i < share_points; ++i) {
        const double share = from + (to - from) * (static_cast<double>(i) + 0.5) / share_points;
        const double rate = std::clamp(without + share * (with - without), least_rate, 1 - least_rate);
        logs.event.push_back(std::log(rate));
        logs.none.push_back(std::log1p(-rate));
      }
    }
  }
  return logs;
}

/// Logarithm of the mean of exp(logs).
double log_mean_exp(const std::vector<double>& logs) {
  constexpr double negligible = -50;  // thousands of such terms are less than the sum's last digit
  const double most = std::ranges::max(logs);
  double sum = 0;
  for (const double one : logs) {
    if (one - most > negligible) sum += std::exp(one - most);
  }
  return most + std::log(sum / static_cast<double>(logs.size()));
}

/// Logarithm of the mean probability of one order of the counts, which all hypotheses share the number of orders with.
double averaged(const Logarithms& of, const EventCount& treated) {
  const auto events = static_cast<double>(treated.events);
  const auto rest = static_cast<double>(treated.tests - treated.events);
  std::vector<double> logs(of.event.size());
  for (std::size_t i = 0; i < logs.size(); ++i) logs[i] = events * of.event[i] + rest * of.none[i];
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
    : base_(posterior_rates(base)),
      known_(posterior_rates(known)),
      absent_(logarithms(base_, known_, 0, least_partial)),
      full_(logarithms(base_, known_, most_partial, 1)) {}

EffectEvidence EffectControls::evidence(const EventCount& treated) {
  EffectEvidence all = extremes(treated);
  all.partial = averaged(partial(), treated);
  return all;
}

EffectEvidence EffectControls::evidence_without_partial(const EventCount& treated) {
  EffectEvidence all = extremes(treated);
  if (bound_of_partial(treated) >= std::max(all.absent, all.full)) all.partial = averaged(partial(), treated);
  return all;
}

EffectEvidence EffectControls::extremes(const EventCount& treated) const {
  if (treated.events > treated.tests) throw std::invalid_argument("more events than tests");
  return {.absent = averaged(absent_, treated),
          .partial = -std::numeric_limits<double>::infinity(),
          .full = averaged(full_, treated)};
}

const Logarithms& EffectControls::partial() {
  if (!partial_) partial_ = logarithms(base_, known_, least_partial, most_partial);
  return *partial_;
}

double EffectControls::bound_of_partial(const EventCount& treated) const {
  const auto lowest = std::min(std::lerp(base_.front(), known_.front(), least_partial),
                               std::lerp(base_.front(), known_.front(), most_partial));
  const auto highest = std::max(std::lerp(base_.back(), known_.back(), least_partial),
                                std::lerp(base_.back(), known_.back(), most_partial));
  // No rate explains counts better than their own.
  const auto events = static_cast<double>(treated.events);
  const auto tests = static_cast<double>(treated.tests);
  const double best =
      std::clamp(std::clamp(events / std::max(tests, 1.0), lowest, highest), least_rate, 1 - least_rate);
  constexpr double rounding = 1e-6;  // more than that of thousands of counts
  return events * std::log(best) + (tests - events) * std::log1p(-best) + rounding;
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
