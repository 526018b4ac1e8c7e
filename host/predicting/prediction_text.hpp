#ifndef TOMOGRAPH_HOST_PREDICTING_PREDICTION_TEXT_HPP
#define TOMOGRAPH_HOST_PREDICTING_PREDICTION_TEXT_HPP

#include <string>

#include "predicting/prediction.hpp"

namespace tomograph::host {

/// A prediction for people: single values with their intervals, in the order in which the model declares them, then one
/// table for each value with several parts.
[[nodiscard]] std::string prediction_text(const ProbeDescription& model, const Prediction& prediction, bool color);

}  // namespace tomograph::host

#endif
