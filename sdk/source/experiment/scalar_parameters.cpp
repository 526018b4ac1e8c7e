#include "scalar_parameters.hpp"

#include <algorithm>
#include <stdexcept>

#include "tomograph/scalars.hpp"

namespace tomograph {

Experiment encode_scalars(std::string id, const std::vector<std::pair<const char*, std::int64_t>>& scalars) {
  Experiment experiment{std::move(id), {}};
  for (const auto& [name, value] : scalars) experiment.parameters.add({name, value});
  return experiment;
}

void expect_known_once(const Experiment& experiment, std::span<const std::string_view> known) {
  std::vector<bool> has(known.size());
  for (const ArrayView& parameter : experiment.parameters) {
    const auto at = static_cast<std::size_t>(std::ranges::find(known, parameter.name()) - known.begin());
    const std::string name = "parameter '" + std::string(parameter.name()) + "'";
    if (at == known.size()) throw std::invalid_argument(name + " is unknown to " + experiment.id);
    if (has[at]) throw std::invalid_argument(name + " occurs twice");
    has[at] = true;
  }
}

ScalarParameters::ScalarParameters(const Experiment& experiment, const std::vector<std::string_view>& known)
    : experiment_(&experiment) {
  expect_known_once(experiment, known);
}

std::int64_t ScalarParameters::at(std::string_view name) const {
  return scalar<std::int64_t>(experiment_->parameters, name);
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
