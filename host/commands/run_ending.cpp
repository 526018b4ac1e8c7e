#include "commands/run_ending.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "documents/display_width.hpp"
#include "loading/device_facts.hpp"
#include "planning/patterns.hpp"
#include "reporting/parts.hpp"
#include "tomograph/documents/input_error.hpp"
#include "tomograph/documents/nearest_name.hpp"
#include "topology/gallery.hpp"

namespace tomograph::host {
namespace {

constexpr std::size_t most_failures = 5;

bool is_failure(OutcomeStatus status) {
  return status == OutcomeStatus::failed || status == OutcomeStatus::crashed || status == OutcomeStatus::timed_out;
}

/// Quoted where a shell would take the name apart.
std::string quoted(const std::string& name) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/:+,@%=";
  if (name.find_first_not_of(plain) == std::string::npos) return name;
  std::string text = "'";
  for (const char c : name) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// A measured fact whose curve a newcomer understands: the size of the innermost cache that has one, or else any.
std::optional<std::string> fact_to_explain(const Topology& topology) {
  const auto has_curve = [&](const std::string& key) {
    const auto fact = topology.facts.find(key);
    return fact != topology.facts.end() && !fact->second.evidence.empty();
  };
  for (const Part& part : known_parts()) {
    if (const std::string key = std::string(part.prefix) + ".size"; has_curve(key)) return key;
  }
  const auto any = std::ranges::find_if(topology.facts, [&](const auto& fact) { return has_curve(fact.first); });
  if (any == topology.facts.end()) return std::nullopt;
  return any->first;
}

/// The GPU of the gallery that is called like this one, as far as its name goes, or else the first.
std::optional<std::string> gallery_gpu(const Topology& topology) {
  const std::vector<std::string> names = gallery_names();
  if (names.empty()) return std::nullopt;
  const auto device = topology.facts.find("device.name");
  const bool is_named = device != topology.facts.end() && device->second.value.is_string();
  const std::string own = is_named ? gallery_name(device->second.value.get<std::string>()) : std::string();
  const auto found = std::ranges::find_if(names, [&](const std::string& name) { return own.starts_with(name); });
  return found == names.end() ? names.front() : *found;
}

bool was_interrupted(const Topology& topology) {
  return std::ranges::any_of(topology.outcomes,
                             [](const auto& outcome) { return outcome.second.category == SkipCategory::interrupted; });
}

std::string why_missing(const Topology& topology, const std::string& key) {
  const Outcome& outcome = topology.outcomes.at(key);
  return fmt::format("{}: {}{}", key, to_string(outcome.status), outcome.reason.empty() ? "" : ", " + outcome.reason);
}

}  // namespace

void check_required(std::span<const std::string> patterns, std::span<const PluginDescription> plugins,
                    const Topology& given) {
  std::vector<std::string> keys;
  for (const auto& [key, record] : given.facts) keys.push_back(key);
  for (const PluginDescription& plugin : plugins) {
    for (const ProbeDescription& probe : plugin.probes) {
      for (const FactDeclaration& fact : probe.provides) keys.push_back(fact.key);
    }
  }
  for (const std::string& pattern : patterns) {
    const bool is_known = std::ranges::any_of(keys, [&](const std::string& key) { return matches(pattern, key); });
    if (is_known || is_device_fact(pattern)) continue;
    throw InputError("--require '" + pattern + "' matches no fact" + suggestion(pattern, keys));
  }
}

std::vector<std::string> missing_facts(const Topology& topology, std::span<const std::string> patterns) {
  std::set<std::string> missing;
  for (const std::string& pattern : patterns) {
    bool was_asked = false;
    for (const auto& [key, record] : topology.facts) was_asked = was_asked || matches(pattern, key);
    for (const auto& [key, outcome] : topology.outcomes) {
      if (!matches(pattern, key)) continue;
      was_asked = true;
      if (!topology.facts.contains(key)) missing.insert(why_missing(topology, key));
    }
    if (!was_asked) missing.insert(pattern + ": this run did not ask for it");
  }
  return {missing.begin(), missing.end()};
}

std::vector<std::string> failed_probes(const Topology& topology) {
  std::map<std::string, const Outcome*> by_probe;
  for (const auto& [key, outcome] : topology.outcomes) {
    if (is_failure(outcome.status)) by_probe.emplace(outcome.probe, &outcome);
  }
  std::vector<std::string> failures;
  for (const auto& [probe, outcome] : by_probe) {
    failures.push_back(fmt::format("{} {}: {}", probe, to_string(outcome->status), outcome->reason));
  }
  if (failures.size() <= most_failures) return failures;
  const std::size_t more = failures.size() - most_failures;
  failures.resize(most_failures);
  failures.push_back(fmt::format("and {} more probes; the topology's [outcomes] has their reasons", more));
  return failures;
}

std::vector<std::string> next_commands(const Topology& topology, const std::filesystem::path& file) {
  std::vector<std::pair<std::string, const char*>> commands;
  const std::string name = quoted(file.string());
  if (was_interrupted(topology)) {
    commands.emplace_back("tomograph run --resume --output " + name, "measures what the interruption left open");
  }
  if (const auto key = fact_to_explain(topology)) {
    commands.emplace_back(fmt::format("tomograph explain {} {}", *key, name), "one fact: its curve, why to believe it");
  }
  commands.emplace_back("tomograph report " + name, "writes report.html: the chip, every fact and its curve");
  if (const auto gpu = gallery_gpu(topology)) {
    commands.emplace_back(fmt::format("tomograph diff gallery:{} {}", *gpu, name),
                          "what differs from a GPU known before");
  }
  std::size_t width = 0;
  for (const auto& [command, purpose] : commands) width = std::max(width, display_width(command));
  std::vector<std::string> lines;
  for (const auto& [command, purpose] : commands) {
    lines.push_back(command + std::string(width - display_width(command), ' ') + "  # " + purpose);
  }
  return lines;
}

}  // namespace tomograph::host
