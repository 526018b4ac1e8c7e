#ifndef TOMOGRAPH_CACHE_SHARING_ANALYSIS_EFFECT_HPP
#define TOMOGRAPH_CACHE_SHARING_ANALYSIS_EFFECT_HPP

#include <cstddef>

/// Whether a treatment has the effect that a known cause has, judged by counts of events: without the treatment, with
/// the known cause instead of it, and with it. Tolerates that events happen without any cause and that the known cause
/// does not always bring them about, since both rates are counted, too.
/// Functions throw std::invalid_argument if a count has more events than tests.
namespace tomograph::analysis {

struct EventCount {
  std::size_t events = 0;
  std::size_t tests = 0;

  EventCount& operator+=(const EventCount& other);
};

/// How well three hypotheses explain what was counted: natural logarithms of probability up to a common constant.
/// Evidence of independent experiments about the same question adds up.
struct EffectEvidence {
  double absent = 0;   ///< the treatment has at most a quarter of the effect
  double partial = 0;  ///< between one and three quarters
  double full = 0;     ///< at least three quarters

  EffectEvidence& operator+=(const EffectEvidence& other);
};

/// Evidence for each hypothesis. With base rate b, rate c of the known cause and share s of the effect, the rate of the
/// treated is b + s (c - b); the probability of the counts is averaged over the posteriors of b and c (Jeffreys' prior)
/// and over s within the hypothesis. Where c is hardly above b the three come out alike.
[[nodiscard]] EffectEvidence effect_evidence(const EventCount& base, const EventCount& known,
                                             const EventCount& treated);

/// Probabilities of the hypotheses; they add up to 1.
struct EffectOdds {
  double absent = 0;
  double partial = 0;
  double full = 0;

  /// Probability that the likeliest hypothesis is wrong.
  [[nodiscard]] double error() const;
};

/// Posterior. Absent and full are as likely beforehand; with `partial_prior` 0 there is nothing between them.
/// @throws std::invalid_argument unless 0 <= partial_prior < 1.
[[nodiscard]] EffectOdds odds(const EffectEvidence& evidence, double partial_prior = 0.1);

}  // namespace tomograph::analysis

#endif
