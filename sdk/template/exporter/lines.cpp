#include "lines.hpp"

using namespace tomograph;

std::string lines(const Topology& topology, double least_confidence) {
  std::string text = "# " + topology.device() + "\n";
  for (const auto& [key, fact] : topology.facts()) {
    if (fact.confidence < least_confidence) continue;
    text += key + " = " + to_json(fact.value) + (fact.unit.empty() ? "" : " " + fact.unit) + "\n";
  }
  return text;
}
