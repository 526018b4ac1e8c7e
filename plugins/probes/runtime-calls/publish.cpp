#include "publish.hpp"

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/median_fact.hpp"
#include "tomograph/analysis/undisturbed.hpp"

namespace tomograph::runtime_calls {

namespace {

/// The fastest trials of a run were up to 1.32 times as fast as those of another, of five on each of two hosts.
constexpr double from_run_to_run = 1.33;

void keep(const Session& session, const Measured& measured) {
  session.evidence(measured.key, std::vector<NamedArray>{{measured.column, measured.values}});
}

}  // namespace

void publish(const Session& session, const Measured& measured) {
  keep(session, measured);
  Fact fact = analysis::median_fact(measured.key, measured.values, measured.key, confidence::runtime_calls::interval);
  analysis::widen(fact, measured.from_run_to_run);
  fact.confidence = confidence::not_negative(fact.confidence - confidence::runtime_calls::systematic_error);
  fact.conditions = measured.conditions;
  session.publish(fact);
}

void publish_undisturbed(const Session& session, const Measured& measured) {
  keep(session, measured);
  const auto sample =
      analysis::undisturbed(measured.values, analysis::Faster::less, confidence::runtime_calls::interval);
  const auto found = analysis::widened(sample, from_run_to_run);
  session.publish({.key = measured.key,
                   .value = found.value,
                   .method = "fastest-tenth",
                   .confidence = confidence::not_negative(found.coverage - confidence::runtime_calls::systematic_error),
                   .interval = Interval{found.low, found.high},
                   .samples = measured.values.size(),
                   .conditions = measured.conditions,
                   .evidence = measured.key});
}

}  // namespace tomograph::runtime_calls
