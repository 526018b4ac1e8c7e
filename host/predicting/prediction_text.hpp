#ifndef TOMOGRAPH_HOST_PREDICTING_PREDICTION_TEXT_HPP
#define TOMOGRAPH_HOST_PREDICTING_PREDICTION_TEXT_HPP

#include <map>
#include <string>
#include <vector>

#include "predicting/model.hpp"

namespace tomograph::host {

using Prediction = std::map<std::string, FactRecord>;

/// A prediction for people: single values with their intervals, in the order in which the model declares them, then one
/// table for each value with several parts.
[[nodiscard]] std::string prediction_text(const ProbeDescription& model, const Prediction& prediction, bool color);

}  // namespace tomograph::host

#endif
