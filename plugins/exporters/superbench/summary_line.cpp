#include "summary_line.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tomograph::superbench {
namespace {

std::optional<std::string> number_of(const KnownFact& fact) {
  const auto& content = fact.value.content();
  if (const auto* flag = std::get_if<bool>(&content)) return *flag ? "1" : "0";
  const bool is_number = std::holds_alternative<std::int64_t>(content) || std::holds_alternative<double>(content);
  return is_number ? std::optional(to_json(fact.value)) : std::nullopt;
}

bool has_failed(const Topology& topology) {
  static constexpr std::array<std::string_view, 3> failures{"failed", "crashed", "timed-out"};
  return std::ranges::any_of(topology.outcomes(), [](const auto& outcome) {
    return std::ranges::find(failures, outcome.second.status) != failures.end();
  });
}

}  // namespace

std::string summary_line(std::span<const Topology> topologies, const std::string& node) {
  std::string line = "{\"node\": " + to_json(Value(node));
  const auto add = [&](const std::string& metric, const std::string& rank, const std::string& number) {
    line += ", " + to_json(Value("tomograph/" + metric + ":" + rank)) + ": " + number;
  };
  const std::vector<std::string> ranks = gpu_numbers(topologies);
  for (std::size_t i = 0; i < topologies.size(); ++i) {
    const std::string& rank = ranks[i];
    add("return_code", rank, has_failed(topologies[i]) ? "1" : "0");
    for (const auto& [key, fact] : topologies[i].facts()) {
      if (const auto number = number_of(fact)) add(key, rank, *number);
    }
  }
  return line + "}\n";
}

}  // namespace tomograph::superbench
