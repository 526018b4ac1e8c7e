#ifndef TOMOGRAPH_HOST_PREDICTING_PREDICTION_HPP
#define TOMOGRAPH_HOST_PREDICTING_PREDICTION_HPP

#include <map>
#include <string>

#include "predicting/model.hpp"
#include "running/call_failed.hpp"

namespace tomograph::host {

using Prediction = std::map<std::string, FactRecord>;

/// What the model publishes for these facts, in a worker process. `parameters` has the value of every declared
/// parameter.
/// @throws CallFailed, InputError with the model's message if it refuses the kernel, a parameter or a fact.
[[nodiscard]] Prediction predicted(Workers& workers, const ChosenModel& chosen, const Json& parameters,
                                   const KnownNeeds& needs);

/// The facts of a prediction by key.
[[nodiscard]] Json to_json(const Prediction& prediction);

}  // namespace tomograph::host

#endif
