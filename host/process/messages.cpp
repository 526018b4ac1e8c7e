#include "process/messages.hpp"

#include <cstring>
#include <stdexcept>
#include <type_traits>

namespace tomograph::host {
namespace {

template <typename T>
Numbers numbers_from_bytes(const std::vector<std::uint8_t>& bytes) {
  if (bytes.size() % sizeof(T) != 0) throw std::invalid_argument("an array of broken length");
  std::vector<T> numbers(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

}  // namespace

Json array_message(const NamedArray& array) {
  const ArrayView view(array);
  const auto numbers = view.visit([](auto typed) { return std::as_bytes(typed); });
  std::vector<std::uint8_t> bytes(numbers.size());
  if (!bytes.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return {{"name", array.name}, {"element", view.element()}, {"bytes", Json::binary(std::move(bytes))}};
}

NamedArray array_from_message(const Json& message) {
  const auto& bytes = message.at("bytes").get_binary();
  switch (message.at("element").get<tomograph_element>()) {
    case TOMOGRAPH_I64: return {message.at("name"), numbers_from_bytes<std::int64_t>(bytes)};
    case TOMOGRAPH_U32: return {message.at("name"), numbers_from_bytes<std::uint32_t>(bytes)};
    case TOMOGRAPH_F64: return {message.at("name"), numbers_from_bytes<double>(bytes)};
    default: throw std::invalid_argument("an array of unknown type");
  }
}

Json arrays_message(const std::vector<NamedArray>& arrays) {
  Json message = Json::array();
  for (const NamedArray& array : arrays) message.push_back(array_message(array));
  return message;
}

std::vector<NamedArray> arrays_from_message(const Json& message) {
  std::vector<NamedArray> arrays;
  arrays.reserve(message.size());
  for (const Json& array : message) arrays.push_back(array_from_message(array));
  return arrays;
}

Json fact_message(const FactRecord& record) {
  Json message{{"value", record.value},           {"unit", record.unit},       {"source", record.source},
               {"method", record.method},         {"probe", record.probe},     {"scope", record.scope},
               {"confidence", record.confidence}, {"samples", record.samples}, {"conditions", record.conditions}};
  if (record.interval) message["interval"] = {record.interval->first, record.interval->second};
  if (!record.evidence.empty()) message["evidence"] = record.evidence;
  return message;
}

FactRecord fact_from_message(const Json& message) {
  FactRecord record;
  record.value = message.at("value");
  record.unit = message.at("unit");
  record.source = message.at("source");
  record.method = message.at("method");
  record.probe = message.at("probe");
  record.scope = message.at("scope");
  record.confidence = message.at("confidence");
  record.samples = message.at("samples");
  record.conditions = message.at("conditions");
  if (const auto interval = message.find("interval"); interval != message.end()) {
    record.interval = {interval->at(0).get<double>(), interval->at(1).get<double>()};
  }
  record.evidence = message.value("evidence", "");
  return record;
}

}  // namespace tomograph::host
