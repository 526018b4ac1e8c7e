#ifndef TOMOGRAPH_CACHE_SHARING_ANALYSIS_EFFECT_HPP
#define TOMOGRAPH_CACHE_SHARING_ANALYSIS_EFFECT_HPP

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

/// Whether a treatment has the effect that a known cause has, from counts of events: without the treatment, with the
/// known cause instead, and with the treatment. Allows for events without any cause and for a known cause that does not
/// always take effect, since both rates are counted as well.
/// All functions throw std::invalid_argument if a count has more events than tests.
namespace tomograph::analysis {

struct EventCount {
  std::size_t events = 0;
  std::size_t tests = 0;

  EventCount& operator+=(const EventCount& other);
};

/// Natural logarithms of the probability of the counts under three hypotheses, up to a common constant. Evidence of
/// independent experiments about the same question adds up.
struct EffectEvidence {
  double absent = 0;   ///< the treatment has at most a quarter of the effect
  double partial = 0;  ///< between one and three quarters
  double full = 0;     ///< at least three quarters

  EffectEvidence& operator+=(const EffectEvidence& other);
};

/// What many treatments are compared with: counts without any cause, and with the known one.
class EffectControls {
 public:
  EffectControls(const EventCount& base, const EventCount& known);

  /// Evidence for each hypothesis. With base rate b, rate c of the known cause and share s of the effect, the rate of
  /// the treated is b + s (c - b). The probability of the counts is averaged over the posteriors of b and c (Jeffreys'
  /// prior) and over s within the hypothesis. If c is hardly above b, the three are about equal.
  [[nodiscard]] EffectEvidence evidence(const EventCount& treated);

  /// The same for a prior that rules out a partial effect: its evidence is 0 in place of a probability, unless it may
  /// be the strongest.
  [[nodiscard]] EffectEvidence evidence_without_partial(const EventCount& treated);

  /// The probability of an event of the treated under a hypothesis, at all points over which it is averaged: natural
  /// logarithms of it, and of that of no event.
  struct Logarithms {
    std::vector<double> event;
    std::vector<double> none;
  };

  /// Points that stand for the posterior of a rate: the middles of intervals of equal probability, ascending.
  static constexpr std::size_t rate_points = 12;
  using Rates = std::array<double, rate_points>;

 private:
  [[nodiscard]] EffectEvidence extremes(const EventCount& treated) const;
  [[nodiscard]] const Logarithms& partial();
  /// More than the logarithm of the probability of one order of these counts, if the effect is partial.
  [[nodiscard]] double bound_of_partial(const EventCount& treated) const;

  Rates base_;
  Rates known_;
  Logarithms absent_;
  std::optional<Logarithms> partial_;  ///< not before it is needed
  Logarithms full_;
};

/// The evidence of one treatment.
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

/// Posterior probabilities. Absent and full have equal priors; a `partial_prior` of 0 rules out anything between them.
/// @throws std::invalid_argument unless 0 <= partial_prior < 1.
[[nodiscard]] EffectOdds odds(const EffectEvidence& evidence, double partial_prior = 0.1);

}  // namespace tomograph::analysis

#endif
