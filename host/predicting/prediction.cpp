#include "predicting/prediction.hpp"

#include <fmt/format.h>

#include "tomograph/documents/input_error.hpp"

namespace tomograph::host {

Prediction predicted(Workers& workers, const ChosenModel& chosen, const Json& parameters, const KnownNeeds& needs) {
  CallEnding ending = workers.run(*chosen.plugin, *chosen.model, parameters, needs);
  const std::string name = "model " + chosen.model->id + " ";
  if (ending.kind != CallEnding::Kind::answered) throw CallFailed(name + "was ended: " + ending.reason);
  CallResult& result = ending.result;
  if (result.status == TOMOGRAPH_INVALID) throw InputError(reason_of(result));
  if (result.status != TOMOGRAPH_OK) throw CallFailed(name + "failed: " + reason_of(result));
  for (const auto& [key, why] : result.published.inconclusive) {
    throw CallFailed(fmt::format("{}does not tell {}: {}", name, key, why));
  }
  return std::move(result.published.facts);
}

Json to_json(const Prediction& prediction) {
  Json facts = Json::object();
  for (const auto& [key, record] : prediction) facts[key] = to_json(record);
  return facts;
}

}  // namespace tomograph::host
