#include "commands/diff.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "commands/color_option.hpp"
#include "commands/repeatable.hpp"
#include "comparing/comparison.hpp"
#include "fleet/fleet_diff.hpp"
#include "fleet/fleet_file.hpp"
#include "planning/patterns.hpp"
#include "reporting/differences.hpp"
#include "reporting/terminal.hpp"
#include "tomograph/documents/input_error.hpp"
#include "tomograph/documents/nearest_name.hpp"
#include "topology/topology_file.hpp"

namespace tomograph::host {
namespace {

constexpr int all_same = 0;
constexpr int something_differs = 1;

struct DiffOptions {
  std::filesystem::path a;
  std::filesystem::path b;
  std::vector<std::string> only;
  std::vector<std::string> tolerances;
  bool same_kind = false;
  bool all = false;
  bool json = false;
  std::string color = "auto";
};

/// "l2.*=2%" or "l2.*=0.02".
Tolerance parsed_tolerance(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  const std::string number = equals == std::string::npos ? "" : text.substr(equals + 1);
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  const std::string rest = error == std::errc() ? std::string(end, number.data() + number.size()) : "?";
  if (equals == 0 || (!rest.empty() && rest != "%") || !(value >= 0 && value <= (rest.empty() ? 1 : 1e6))) {
    throw InputError("--tolerance '" + text + "': expected a pattern, '=' and a share, as in 'l2.*=2%'");
  }
  return {text.substr(0, equals), rest.empty() ? value : value / 100};
}

/// Refuses a pattern that no fact of either topology has, which is a typing error.
void require_match(const char* option, const std::string& pattern, const Topology& a, const Topology& b) {
  std::set<std::string> keys;
  for (const Topology* topology : {&a, &b}) {
    for (const auto& [key, record] : topology->facts) keys.insert(key);
    for (const auto& [key, outcome] : topology->outcomes) keys.insert(key);
  }
  if (std::ranges::any_of(keys, [&](const std::string& key) { return matches(pattern, key); })) return;
  const std::vector<std::string> names(keys.begin(), keys.end());
  throw InputError(
      fmt::format("{} '{}' matches no fact of the two topologies{}", option, pattern, suggestion(pattern, names)));
}

ComparisonSettings settings_of(const DiffOptions& options, const Topology& a, const Topology& b) {
  ComparisonSettings settings;
  settings.only = options.only;
  for (const std::string& pattern : options.only) require_match("--only", pattern, a, b);
  for (const std::string& text : options.tolerances) {
    settings.tolerances.push_back(parsed_tolerance(text));
    require_match("--tolerance", settings.tolerances.back().pattern, a, b);
  }
  if (options.same_kind) settings.ignored = facts_of_one_board();
  return settings;
}

/// The value of a fact, or null.
Json value_of(const Topology& topology, const std::string& key) {
  const auto found = topology.facts.find(key);
  return found == topology.facts.end() ? Json() : to_json(found->second);
}

Json json_of(const std::vector<FactDifference>& differences, const Topology& a, const Topology& b) {
  Json facts = Json::object();
  Json counts = Json::object();
  for (const FactDifference& difference : differences) {
    const std::string verdict(to_string(difference.verdict));
    Json& fact = facts[difference.key];
    fact = {{"verdict", verdict}, {"a", value_of(a, difference.key)}, {"b", value_of(b, difference.key)}};
    if (difference.change) fact["change"] = *difference.change;
    if (difference.possible_change) fact["possible_change"] = *difference.possible_change;
    counts[verdict] = counts.value(verdict, 0) + 1;
  }
  return {{"facts", std::move(facts)}, {"counts", std::move(counts)}};
}

int diff_two_fleets(const DiffOptions& options) {
  if (!options.only.empty() || !options.tolerances.empty() || options.same_kind || options.all) {
    throw InputError("fleets are compared as wholes: --only, --tolerance, --same-kind and --all are for topologies");
  }
  for (const auto& file : {options.a, options.b}) {
    if (!is_fleet_file(file))
      throw InputError(Problem{.file = file.string(), .message = "expected a fleet, as the other file is"});
  }
  const FleetDiff difference = diff_fleets(read_fleet(options.a), read_fleet(options.b));
  if (options.json) {
    print_text(stdout, to_json(difference).dump(2) + "\n");
  } else {
    print_text(stdout, fleet_diff_text(difference));
  }
  return difference.is_same() ? all_same : something_differs;
}

int diff(const DiffOptions& options) {
  if (is_fleet_file(options.a) || is_fleet_file(options.b)) return diff_two_fleets(options);
  const Topology a = read_topology(options.a);
  const Topology b = read_topology(options.b);
  const std::vector<FactDifference> differences = compare(a, b, settings_of(options, a, b));
  if (options.json) {
    print_text(stdout, json_of(differences, a, b).dump(2) + "\n");
  } else {
    print_text(stdout, differences_text(differences, a, b, options.all, wants_color(options.color)));
  }
  const bool is_same = std::ranges::all_of(differences, [](const FactDifference& difference) {
    return difference.verdict == Verdict::same || difference.verdict == Verdict::undecided;
  });
  return is_same ? all_same : something_differs;
}

}  // namespace

void add_diff_command(CLI::App& app, std::function<int()>& selected) {
  const auto options = std::make_shared<DiffOptions>();
  CLI::App* verb = app.add_subcommand(
      "diff",
      "Compare two topologies fact by fact, or two days of a fleet; ends with 0 if they are the same, with 1 if not");
  verb->add_option("A", options->a, "Topology file, gallery:NAME, or fleet file")->required();
  verb->add_option("B", options->b, "The same of the other")->required();
  make_repeatable(verb->add_option("--only", options->only, "Pattern of facts to compare, e.g. 'l2.*' (repeatable)"));
  make_repeatable(verb->add_option(
      "--tolerance", options->tolerances,
      "Difference up to which facts are the same, e.g. '*.bandwidth.*=5%' (repeatable, the last counts); "
      "default: 2 % for measured numbers, 5 % for points of curves"));
  verb->add_flag("--same-kind", options->same_kind,
                 "Ignore what differs between boards of one kind: uuid, NUMA node, driver, clocks, free memory, other "
                 "processes, and all that is listed by SM");
  verb->add_flag("--all", options->all, "List every fact, also those that are the same");
  verb->add_flag("--json", options->json, "Print verdicts, values and changes as JSON");
  add_color_option(*verb, options->color);
  verb->callback([options, &selected] { selected = [options] { return diff(*options); }; });
}

}  // namespace tomograph::host
