#include "predicting/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "reporting/quantity.hpp"
#include "reporting/table.hpp"

namespace tomograph::host {
namespace {

constexpr const char* sweep_key = "kernel.sweep";

bool is_single(const FactDeclaration& declared) {
  return declared.type != ValueType::table && declared.type != ValueType::list;
}

std::vector<FactDeclaration> single_facts(const ProbeDescription& model) {
  std::vector<FactDeclaration> single;
  std::ranges::copy_if(model.provides, std::back_inserter(single), is_single);
  return single;
}

/// The values of a row's single facts; null where the prediction lacks one.
std::vector<Json> values_of(const Sweep::Row& row, const std::vector<FactDeclaration>& facts) {
  std::vector<Json> values;
  for (const FactDeclaration& declared : facts) {
    const auto found = row.prediction.find(declared.key);
    values.push_back(found == row.prediction.end() ? Json() : found->second.value);
  }
  return values;
}

/// Numbers by the names of their columns.
std::map<std::string, double> numbers_of(const Sweep::Row& row) {
  std::map<std::string, double> numbers;
  for (const auto& [key, record] : row.prediction) {
    if (record.value.is_number()) numbers[key] = record.value;
    if (!record.value.is_object()) continue;
    for (const auto& [part, value] : record.value.items()) {
      if (value.is_number()) numbers[fmt::format("{}.{}", key, part)] = value;
    }
  }
  return numbers;
}

/// The least of all predictions.
double confidence_of(const Sweep& sweep) {
  double least = 1;
  for (const Sweep::Row& row : sweep.rows) {
    for (const auto& [key, record] : row.prediction) least = std::min(least, record.confidence);
  }
  return least;
}

}  // namespace

std::string sweep_text(const ProbeDescription& model, const Sweep& sweep, bool color) {
  const std::vector<FactDeclaration> facts = single_facts(model);
  std::vector<std::string> header{sweep.key};
  for (const FactDeclaration& declared : facts) header.push_back(declared.key);
  Table table(header);
  for (const Sweep::Row& row : sweep.rows) {
    std::vector<std::string> cells{row.text};
    const std::vector<Json> values = values_of(row, facts);
    for (std::size_t i = 0; i < facts.size(); ++i) {
      cells.push_back(values[i].is_null() ? "" : quantity(values[i], facts[i].unit));
    }
    table.add(cells);
  }
  return table.text(Style(color));
}

Json to_json(const ProbeDescription& model, const Sweep& sweep) {
  Json rows = Json::array();
  for (const Sweep::Row& row : sweep.rows) rows.push_back({{"value", row.text}, {"facts", to_json(row.prediction)}});
  return {{"model", model.id}, {"key", sweep.key}, {"sweep", rows}};
}

Topology with_sweep(Topology topology, const ProbeDescription& model, const Sweep& sweep) {
  const std::vector<FactDeclaration> facts = single_facts(model);
  Json columns = Json::array();
  Json units = Json::array();
  for (const FactDeclaration& declared : facts) {
    columns.push_back(declared.key);
    units.push_back(declared.unit);
  }
  Json rows = Json::array();
  for (const Sweep::Row& row : sweep.rows) {
    Json cells = Json::array({row.value});
    for (const Json& value : values_of(row, facts)) cells.push_back(value);
    rows.push_back(cells);
  }
  topology.facts[sweep_key] = {
      .value = rows,
      .unit = "1",
      .source = "derived",
      .method = "sweep",
      .probe = model.id,
      .scope = "device",
      .confidence = confidence_of(sweep),
      .interval = {},
      .conditions =
          {{"kernel", sweep.kernel}, {"fact", sweep.key}, {"unit", sweep.unit}, {"columns", columns}, {"units", units}},
      .evidence = {},
  };
  return topology;
}

Evidence evidence_of(const ProbeDescription& model, const Sweep& sweep) {
  std::vector<double> values;
  std::map<std::string, std::vector<double>> columns;
  for (const Sweep::Row& row : sweep.rows) {
    for (const auto& [name, number] : numbers_of(row)) {
      columns[name].resize(values.size(), std::numeric_limits<double>::quiet_NaN());
      columns[name].push_back(number);
    }
    values.push_back(row.value);
  }
  Curve curve{{"value", values}};
  for (auto& [name, numbers] : columns) {
    numbers.resize(values.size(), std::numeric_limits<double>::quiet_NaN());
    curve.push_back({name, std::move(numbers)});
  }
  return {{model.id, {{sweep_key, curve}}}};
}

}  // namespace tomograph::host
