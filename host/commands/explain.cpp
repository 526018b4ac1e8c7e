#include "commands/explain.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "commands/color_option.hpp"
#include "commands/setup.hpp"
#include "exporting/inputs.hpp"
#include "planning/patterns.hpp"
#include "reporting/explanation.hpp"
#include "reporting/terminal.hpp"
#include "tomograph/documents/input_error.hpp"
#include "tomograph/documents/nearest_name.hpp"
#include "topology/evidence.hpp"
#include "topology/topology_file.hpp"

namespace tomograph::host {
namespace {

constexpr std::size_t widest = 100;

struct ExplainOptions {
  SetupOptions setup;
  std::string fact;
  std::filesystem::path topology;
  std::filesystem::path evidence;
  std::string color = "auto";
  std::string draw = "auto";
};

/// The keys of all facts that the topology or the plugins know.
std::vector<std::string> known_facts(const std::optional<Topology>& topology, const Catalogue& catalogue) {
  std::set<std::string> keys;
  if (topology) {
    for (const auto& [key, record] : topology->facts) keys.insert(key);
    for (const auto& [key, outcome] : topology->outcomes) keys.insert(key);
  }
  for (const PluginDescription& plugin : catalogue.plugins) {
    for (const ProbeDescription& probe : plugin.probes) {
      for (const FactDeclaration& fact : probe.provides) keys.insert(fact.key);
    }
  }
  return {keys.begin(), keys.end()};
}

/// Up to three names that may be meant: the nearest, and those that end like the name.
std::string likely_names(const std::string& name, const std::vector<std::string>& known) {
  constexpr std::size_t most = 3;
  std::vector<std::string> likely;
  if (const auto nearest = nearest_name(name, known)) likely.push_back(*nearest);
  for (const std::string& key : known) {
    const bool is_listed = std::ranges::find(likely, key) != likely.end();
    if (key.ends_with("." + name) && !is_listed && likely.size() < most) likely.push_back(key);
  }
  std::string text;
  for (const std::string& key : likely) text += (text.empty() ? "; did you mean '" : ", '") + key + "'";
  return text.empty() ? "; `tomograph list facts` names all" : text + "?";
}

void require_known(const std::string& name, const std::optional<Topology>& topology, const Catalogue& catalogue) {
  const std::vector<std::string> known = known_facts(topology, catalogue);
  if (std::ranges::find(known, name) != known.end()) return;
  if (const auto text = what_it_is(in_lower_case(name), known, catalogue.plugins)) throw InputError(*text);
  throw InputError("there is no fact '" + name + "'" + likely_names(in_lower_case(name), known));
}

/// The curves: of the file that is named, or of the one beside the topology if it is there.
std::optional<Evidence> curves_of(const ExplainOptions& options, const Topology& topology) {
  const std::filesystem::path beside = evidence_beside(options.topology);
  if (options.evidence.empty() && !std::filesystem::exists(beside)) return std::nullopt;
  return evidence_of(topology, options.topology, options.evidence.empty() ? beside : options.evidence);
}

int explain(const ExplainOptions& options) {
  Terminal terminal(stderr);
  Log log(terminal);
  std::optional<Topology> topology;
  if (!options.topology.empty()) topology = read_topology(options.topology);
  const Catalogue catalogue = load_setup(options.setup).catalogue;
  log_refusals(catalogue, log);
  require_known(options.fact, topology, catalogue);
  const bool draws = options.draw == "always" || (options.draw == "auto" && is_terminal(stdout));
  const ExplanationStyle style{wants_color(options.color), draws, std::min(terminal_width(stdout), widest)};
  if (!topology) {
    print_text(stdout, explained(options.fact, catalogue.plugins, style));
    return 0;
  }
  const std::optional<Evidence> curves = curves_of(options, *topology);
  print_text(stdout, explained(options.fact, *topology, curves ? &*curves : nullptr, catalogue.plugins, style));
  return 0;
}

}  // namespace

void add_explain_command(CLI::App& app, std::function<int()>& selected) {
  const auto options = std::make_shared<ExplainOptions>();
  CLI::App* verb =
      app.add_subcommand("explain", "Explain a fact: what it means, its curve, why it is believed, what needs it");
  verb->add_option("FACT", options->fact, "Key of the fact, e.g. l1_data.size")->required();
  CLI::Option* topology =
      verb->add_option("TOPOLOGY", options->topology, "Topology file, or gallery:NAME; without it, what plugins say");
  verb->add_option("--evidence", options->evidence, "Evidence file; default: beside the topology")->needs(topology);
  verb->add_option("--draw", options->draw, "When to draw the curve instead of listing its numbers")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  add_color_option(*verb, options->color);
  add_setup_options(*verb, options->setup);
  verb->callback([options, &selected] { selected = [options] { return explain(*options); }; });
}

}  // namespace tomograph::host
