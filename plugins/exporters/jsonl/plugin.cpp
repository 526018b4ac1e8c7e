// The exporter jsonl: one fact a line as a JSON object, whose value keeps its type.
#include <initializer_list>
#include <utility>

#include "tomograph/exporter.hpp"

namespace {

using namespace tomograph;

/// An object with its members in this order.
std::string object(std::initializer_list<std::pair<const char*, Value>> members) {
  std::string text;
  for (const auto& [name, value] : members) {
    text += (text.empty() ? "{" : ",") + to_json(Value(name)) + ":" + to_json(value);
  }
  return text + "}\n";
}

struct JsonLines {
  static constexpr const char* id = "jsonl";
  static constexpr const char* description = "JSON lines, one fact a line, for pandas, DuckDB and jq";
  static constexpr const char* suffix = ".jsonl";

  static void write(std::span<const Topology> topologies, Sink& sink) {
    for (const Topology& topology : topologies) {
      for (const auto& [key, fact] : topology.facts()) sink.write(line(fact, topology));
    }
  }

 private:
  static std::string line(const KnownFact& fact, const Topology& topology) {
    return object({{"key", fact.key},
                   {"value", fact.value},
                   {"unit", fact.unit},
                   {"low", fact.interval ? Value(fact.interval->low) : Value()},
                   {"high", fact.interval ? Value(fact.interval->high) : Value()},
                   {"confidence", fact.confidence},
                   {"method", fact.method},
                   {"source", fact.source},
                   {"device", topology.device()},
                   {"uuid", topology.uuid()}});
  }
};

}  // namespace

TOMOGRAPH_PLUGIN("jsonl", "1.0.0", "Writes facts as JSON lines", tomograph::Exporters<JsonLines>)
