#include "publish.hpp"

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/median_fact.hpp"

namespace tomograph::runtime_calls {

void publish(const Session& session, const Measured& measured) {
  session.evidence(measured.key, std::vector<NamedArray>{{measured.column, measured.values}});
  Fact fact = analysis::median_fact(measured.key, measured.values, measured.key, confidence::runtime_calls::interval);
  fact.confidence = confidence::not_negative(fact.confidence - confidence::runtime_calls::systematic_error);
  fact.conditions = measured.conditions;
  session.publish(fact);
}

}  // namespace tomograph::runtime_calls
