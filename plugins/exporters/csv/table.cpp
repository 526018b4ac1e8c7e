#include "table.hpp"

#include <initializer_list>

namespace tomograph::csv {
namespace {

std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string line(std::initializer_list<std::string> fields) {
  std::string text;
  for (const std::string& each : fields) text += field(each) + ",";
  text.back() = '\n';
  return text;
}

std::string text_of(const Value& value) {
  const auto* text = std::get_if<std::string>(&value.content());
  return text == nullptr ? to_json(value) : *text;
}

}  // namespace

std::string header() {
  return line({"key", "value", "unit", "low", "high", "confidence", "method", "source", "device", "uuid"});
}

std::string lines(const Topology& topology) {
  const std::string device = topology.device();
  const std::string uuid = topology.uuid();
  std::string text;
  for (const auto& [key, fact] : topology.facts()) {
    text += line({key, text_of(fact.value), fact.unit, fact.interval ? to_json(fact.interval->low) : "",
                  fact.interval ? to_json(fact.interval->high) : "", to_json(fact.confidence), fact.method, fact.source,
                  device, uuid});
  }
  return text;
}

}  // namespace tomograph::csv
