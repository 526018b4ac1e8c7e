#include "scalar_parameters.hpp"

#include <algorithm>
#include <stdexcept>

namespace tomograph {

Experiment encode_scalars(std::string id, const std::vector<std::pair<const char*, std::int64_t>>& scalars) {
  Experiment experiment{std::move(id), {}};
  for (const auto& [name, value] : scalars) experiment.parameters.add({name, value});
  return experiment;
}

ScalarParameters::ScalarParameters(const Experiment& experiment, const std::vector<std::string_view>& known)
    : experiment_(&experiment) {
  for (const ArrayView& parameter : experiment.parameters) {
    if (std::ranges::find(known, parameter.name()) == known.end()) {
      throw std::invalid_argument("parameter '" + std::string(parameter.name()) + "' is unknown to " + experiment.id);
    }
  }
}

std::int64_t ScalarParameters::at(std::string_view name) const {
  const auto values = numbers<std::int64_t>(experiment_->parameters, name);
  if (values.size() != 1) throw std::invalid_argument("parameter '" + std::string(name) + "' is not one number");
  return values.front();
}

std::int64_t ScalarParameters::at_most(std::string_view name, std::int64_t last) const {
  const std::int64_t value = at(name);
  if (value >= 0 && value <= last) return value;
  throw std::invalid_argument("parameter '" + std::string(name) + "' has no meaning for " + std::to_string(value));
}

std::optional<std::string> outside(const char* name, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value >= low && value <= high) return std::nullopt;
  return std::string(name) + " is " + std::to_string(value) + ", must be from " + std::to_string(low) + " to " +
         std::to_string(high);
}

}  // namespace tomograph
