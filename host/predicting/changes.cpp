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

/// "KEY=VALUE", and the option that it came with.
struct Argument {
  std::string option;
  std::string key;
  std::string values;
};

Argument read_argument(const std::string& option, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw InputError(fmt::format("{} {}: expected KEY=VALUE, as in dram.bandwidth.gather=2x", option, text));
  }
  return {option, text.substr(0, equals), text.substr(equals + 1)};
}

FactChange read_value(const Argument& argument, const std::string& text) {
  FactChange change{.key = argument.key, .text = text, .is_factor = text.ends_with('x')};
  const char* const end = text.data() + text.size() - (change.is_factor ? 1 : 0);
  const auto [parsed, error] = std::from_chars(text.data(), end, change.number);
  if (error != std::errc() || parsed != end || !std::isfinite(change.number) || change.number <= 0) {
    throw InputError(fmt::format("{} {}={}: expected a positive number such as 4.8e12, or a factor such as 2x",
                                 argument.option, argument.key, text));
  }
  return change;
}

/// The values of "FROM..TO" or of a single value.
std::vector<FactChange> read_values(const Argument& argument, const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return {read_value(argument, text)};
  FactChange change = read_value(argument, text.substr(0, dots));
  const FactChange last = read_value(argument, text.substr(dots + 2));
  if (change.is_factor != last.is_factor || change.number >= last.number) {
    throw InputError(fmt::format("{} {}={}: expected a range that rises, of numbers or of factors, such as 0.5x..4x",
                                 argument.option, argument.key, text));
  }
  std::vector<FactChange> changes;
  for (; change.number < last.number; change.number *= 2) {
    change.text = fmt::format("{:.6g}{}", change.number, change.is_factor ? "x" : "");
    changes.push_back(change);
  }
  changes.push_back(last);
  return changes;
}

std::vector<std::string> keys_of(const ProbeDescription& model) {
  std::vector<std::string> keys;
  for (const NeedDeclaration& need : model.needs) keys.push_back(need.key);
  return keys;
}

/// Integers stay integers where the number is whole, and no larger than doubles can tell whole numbers apart.
Json number_like(const Json& before, double number) {
  constexpr double most = 0x1p53;
  if (before.is_number_integer() && number == std::floor(number) && number <= most)
    return static_cast<std::int64_t>(number);
  return number;
}

/// A fact that the user states, in place of what is known of it.
FactRecord given(Json value, const FactRecord& before) {
  Json conditions = before.conditions;
  if (before.value.is_number() && !conditions.contains("in_place_of")) conditions["in_place_of"] = before.value;
  return {.value = std::move(value),
          .unit = before.unit,
          .source = "derived",
          .method = "given",
          .probe = "user",
          .scope = "device",
          .confidence = 1,
          .interval = {},
          .conditions = conditions,
          .evidence = {}};
}

}  // namespace

FactChange read_change(const std::string& argument) {
  const Argument read = read_argument("--set", argument);
  return read_value(read, read.values);
}

std::vector<FactChange> read_sweep(const std::string& argument) {
  const Argument read = read_argument("--sweep", argument);
  std::vector<FactChange> changes;
  std::istringstream values(read.values + ",");
  for (std::string value; std::getline(values, value, ',');) {
    const std::vector<FactChange> more = read_values(read, value);
    changes.insert(changes.end(), more.begin(), more.end());
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
    facts[change.key] = given(change.number, {});
    return;
  }
  const Json& before = known->second.value;
  if (!before.is_number()) {
    throw InputError(fmt::format("{}={}: this fact is no number", change.key, change.text));
  }
  const double number = change.is_factor ? before.get<double>() * change.number : change.number;
  if (before != 0 && !std::isnormal(number)) {
    throw InputError(
        fmt::format("{}={}: {} times this factor is beyond any number", change.key, change.text, before.dump()));
  }
  known->second = given(number_like(before, number), known->second);
}

}  // namespace tomograph::host
