#include "predicting/changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "tomograph/documents/input_error.hpp"
#include "tomograph/documents/nearest_name.hpp"

namespace tomograph::host {
namespace {

FactChange read_change(const std::string& option, const std::string& key, const std::string& text) {
  FactChange change{.key = key, .text = text, .is_factor = text.ends_with('x')};
  const char* const end = text.data() + text.size() - (change.is_factor ? 1 : 0);
  const auto [parsed, error] = std::from_chars(text.data(), end, change.number);
  if (error != std::errc() || parsed != end || !std::isfinite(change.number) || change.number <= 0) {
    throw InputError(
        fmt::format("{} {}={}: expected a positive number such as 4.8e12, or a factor such as 2x", option, key, text));
  }
  return change;
}

std::vector<std::string> keys_of(const ProbeDescription& model) {
  std::vector<std::string> keys;
  for (const NeedDeclaration& need : model.needs) keys.push_back(need.key);
  return keys;
}

/// Integers stay integers where the number is whole.
Json number_like(const Json& before, double number) {
  if (before.is_number_integer() && number == std::floor(number)) return static_cast<std::int64_t>(number);
  return number;
}

}  // namespace

std::vector<FactChange> read_changes(const std::string& option, const std::string& argument) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw InputError(fmt::format("{} {}: expected KEY=VALUE, as in dram.bandwidth.gather=2x", option, argument));
  }
  std::vector<FactChange> changes;
  std::istringstream values(argument.substr(equals + 1) + ",");
  for (std::string value; std::getline(values, value, ',');) {
    changes.push_back(read_change(option, argument.substr(0, equals), value));
  }
  return changes;
}

void apply(const FactChange& change, const ChosenModel& chosen, std::map<std::string, FactRecord>& facts) {
  const std::vector<std::string> keys = keys_of(*chosen.model);
  if (std::ranges::find(keys, change.key) == keys.end()) {
    throw InputError(fmt::format("model {} does not read a fact '{}'{}", chosen.model->id, change.key,
                                 suggestion(change.key, keys)));
  }
  const auto known = facts.find(change.key);
  if (known == facts.end()) {
    if (change.is_factor) {
      throw InputError(
          fmt::format("{}={}: the topology does not have this fact; give it a number", change.key, change.text));
    }
    facts[change.key] = {
        .value = change.number, .source = "derived", .method = "given", .probe = "user", .scope = "device"};
    return;
  }
  Json& value = known->second.value;
  if (!value.is_number()) {
    throw InputError(fmt::format("{}={}: this fact is no number", change.key, change.text));
  }
  value = number_like(value, change.is_factor ? value.get<double>() * change.number : change.number);
  known->second.interval.reset();
}

}  // namespace tomograph::host
