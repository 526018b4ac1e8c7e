#include "predicting/prediction_text.hpp"

#include <fmt/format.h>

#include "reporting/quantity.hpp"
#include "reporting/table.hpp"

namespace tomograph::host {
namespace {

std::string interval_text(const FactRecord& record) {
  if (!record.interval) return {};
  return fmt::format("{} to {} ({:.3g} %)", quantity(record.interval->first, record.unit),
                     quantity(record.interval->second, record.unit), 100 * record.confidence);
}

std::string parts_text(const FactDeclaration& declared, const FactRecord& record, const Style& style) {
  Table table({declared.key, "value"});
  for (const auto& [part, value] : record.value.items()) table.add({"  " + part, quantity(value, record.unit)});
  return "\n" + table.text(style);
}

}  // namespace

std::string prediction_text(const ProbeDescription& model, const Prediction& prediction, bool color) {
  const Style style(color);
  Table single({"prediction", "value", "interval"});
  std::string parts;
  for (const FactDeclaration& declared : model.provides) {
    const auto found = prediction.find(declared.key);
    if (found == prediction.end()) continue;
    const FactRecord& record = found->second;
    if (record.value.is_object()) {
      parts += parts_text(declared, record, style);
    } else {
      single.add({declared.key, quantity(record.value, record.unit), interval_text(record)});
    }
  }
  return single.text(style) + parts;
}

}  // namespace tomograph::host
