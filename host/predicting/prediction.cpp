#include "predicting/prediction.hpp"

#include "tomograph/documents/input_error.hpp"

namespace tomograph::host {

Prediction predicted(Workers& workers, const ChosenModel& chosen, const Json& parameters,
                     const std::map<std::string, FactRecord>& facts) {
  CallEnding ending = workers.run(*chosen.plugin, *chosen.model, parameters, facts);
  const std::string name = "model " + chosen.model->id + " ";
  if (ending.kind != CallEnding::Kind::answered) throw PredictionFailed(name + "was ended: " + ending.reason);
  CallResult& result = ending.result;
  const std::string reason = !result.error.empty()         ? result.error
                             : !result.skip_reason.empty() ? result.skip_reason
                                                           : "it gave no reason";
  if (result.status == TOMOGRAPH_INVALID) throw InputError(reason);
  if (result.status != TOMOGRAPH_OK) throw PredictionFailed(name + "failed: " + reason);
  for (const auto& [key, why] : result.published.inconclusive) {
    throw PredictionFailed(name + "does not tell " + key + ": " + why);
  }
  return std::move(result.published.facts);
}

Json to_json(const Prediction& prediction) {
  Json facts = Json::object();
  for (const auto& [key, record] : prediction) facts[key] = to_json(record);
  return facts;
}

}  // namespace tomograph::host
