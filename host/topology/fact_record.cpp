#include "topology/fact_record.hpp"

#include <cmath>

namespace tomograph::host {
namespace {

/// Interval bounds of an integer value are integers, too, where they are whole.
Json bound(double value, const Json& fact_value) {
  constexpr double exact_integers = 9007199254740992.0;  // 2^53
  const bool whole = std::floor(value) == value && std::abs(value) < exact_integers;
  return fact_value.is_number_integer() && whole ? Json(static_cast<std::int64_t>(value)) : Json(value);
}

}  // namespace

Json estimated_as_real(const FactRecord& record) {
  const bool is_estimate = record.unit == "B" && record.interval && record.value.is_number();
  return is_estimate ? Json(record.value.get<double>()) : record.value;
}

Json to_json(const FactRecord& record) {
  Json fields{{"value", record.value},           {"unit", record.unit},       {"source", record.source},
              {"method", record.method},         {"probe", record.probe},     {"scope", record.scope},
              {"confidence", record.confidence}, {"samples", record.samples}, {"conditions", record.conditions}};
  if (record.interval) {
    fields["interval"] = {bound(record.interval->first, record.value), bound(record.interval->second, record.value)};
  }
  if (!record.evidence.empty()) fields["evidence"] = record.evidence;
  return fields;
}

FactRecord fact_record_from_json(const Json& fields) {
  FactRecord record{.value = fields.at("value"),
                    .unit = fields.at("unit"),
                    .source = fields.at("source"),
                    .method = fields.at("method"),
                    .probe = fields.at("probe"),
                    .scope = fields.at("scope"),
                    .confidence = fields.at("confidence"),
                    .interval = std::nullopt,
                    .samples = fields.at("samples"),
                    .conditions = fields.value("conditions", Json::object()),
                    .evidence = fields.value("evidence", "")};
  if (fields.contains("interval")) record.interval = fields.at("interval").get<std::pair<double, double>>();
  record.value = estimated_as_real(record);
  return record;
}

}  // namespace tomograph::host
