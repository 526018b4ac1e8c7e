#include "commands/list.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <memory>

#include "commands/setup.hpp"
#include "documents/visible_text.hpp"
#include "process/worker_process.hpp"
#include "reporting/quantity.hpp"
#include "reporting/table.hpp"
#include "reporting/terminal.hpp"
#include "topology/gallery.hpp"
#include "topology/topology_file.hpp"

namespace tomograph::host {
namespace {

struct ListOptions {
  SetupOptions setup;
  bool json = false;
};

std::string parameter_text(const ParameterDeclaration& parameter) {
  std::string range;
  if (parameter.type == ValueType::integer || parameter.type == ValueType::real) {
    range = fmt::format(", {:g} to {:g}", parameter.minimum, parameter.maximum);
  }
  return fmt::format("      parameter {} = {} ({}{}): {}\n", parameter.name, parameter.default_value.dump(),
                     to_string(parameter.type), range, visible(parameter.help));
}

std::string probe_text(const ProbeDescription& probe) {
  const std::string sort = probe.is_model ? " (model)" : probe.method.empty() ? "" : " (--method " + probe.method + ")";
  std::string text = fmt::format("  {}{}\n    {}\n", probe.id, sort, visible(probe.question));
  for (const FactDeclaration& fact : probe.provides) {
    text += fmt::format("      provides {}{}: {}\n", fact.key, fact.unit.empty() ? "" : " [" + fact.unit + "]",
                        visible(fact.help));
  }
  for (const NeedDeclaration& need : probe.needs) {
    text += fmt::format("      needs {}{}\n", need.key, need.optional ? " (optional)" : "");
  }
  for (const ParameterDeclaration& parameter : probe.parameters) text += parameter_text(parameter);
  return text;
}

std::string exporter_text(const ExporterDescription& exporter) {
  std::string text = fmt::format("{} ({}{}{})  {}\n", exporter.id, exporter.suffix,
                                 exporter.takes_several ? ", several topologies" : "",
                                 exporter.takes_evidence ? ", evidence" : "", visible(exporter.description));
  for (const ParameterDeclaration& parameter : exporter.parameters) text += parameter_text(parameter);
  return text;
}

std::string plugin_text(const PluginDescription& plugin) {
  std::string text = fmt::format("{} {}: {}\n", plugin.id, plugin.version, visible(plugin.description));
  for (const DeviceDescription& device : plugin.devices) {
    text += fmt::format("  device {}:<{}>  {}\n", device.id, visible(device.target_help), visible(device.description));
    for (const ParameterDeclaration& parameter : device.parameters) text += parameter_text(parameter);
  }
  for (const ExecutorDescription& executor : plugin.executors) {
    text +=
        fmt::format("  executes {} on {}  {}\n", executor.experiment, executor.device, visible(executor.description));
  }
  for (const ExporterDescription& exporter : plugin.exporters) text += "  exporter " + exporter_text(exporter);
  for (const ProbeDescription& probe : plugin.probes) text += probe_text(probe);
  return text;
}

Json refusals_json(const Catalogue& catalogue) {
  Json refused = Json::array();
  for (const Refusal& refusal : catalogue.refused) {
    refused.push_back({{"path", refusal.path.string()}, {"reason", refusal.reason}});
  }
  return refused;
}

int list(const ListOptions& options) {
  Terminal terminal(stderr);
  Log log(terminal);
  const Catalogue catalogue = load_setup(options.setup).catalogue;
  if (options.json) {
    Json plugins = Json::array();
    for (const PluginDescription& plugin : catalogue.plugins) plugins.push_back(to_json(plugin));
    print_text(stdout, Json{{"plugins", std::move(plugins)}, {"refused", refusals_json(catalogue)}}.dump(2) + "\n");
    return 0;
  }
  log_refusals(catalogue, log);
  for (const PluginDescription& plugin : catalogue.plugins) print_text(stdout, plugin_text(plugin));
  return 0;
}

/// The targets of one device, or the reason if it cannot list them.
Json targets_json(const Setup& setup, const DeviceDescription& device, Workers& workers) {
  Json json{{"device", device.id},
            {"description", device.description},
            {"target_help", device.target_help},
            {"is_real", device.is_real},
            {"targets", Json::array()}};
  try {
    for (const FoundTarget& target : workers.targets(find_device(setup, device.id))) {
      json["targets"].push_back({{"name", device.id + ":" + target.name}, {"description", target.description}});
    }
  } catch (const std::runtime_error& error) {
    json["reason"] = error.what();
  }
  return json;
}

std::string targets_text(const Json& device) {
  const auto line = [](const Json& object, const char* key) { return visible(object.at(key).get<std::string>()); };
  std::string text =
      fmt::format("{}:<{}>  {}\n", line(device, "device"), line(device, "target_help"), line(device, "description"));
  for (const Json& target : device.at("targets")) {
    text += fmt::format("  {}  {}\n", line(target, "name"), line(target, "description"));
  }
  if (device.at("targets").empty()) {
    const std::string reason = visible(device.value("reason", ""));
    text += "  none available" + (reason.empty() ? "" : ": " + reason) + "\n";
  }
  return text;
}

int list_devices(const ListOptions& options) {
  Terminal terminal(stderr);
  Log log(terminal);
  const Setup setup = load_setup(options.setup);
  log_refusals(setup.catalogue, log);
  Workers workers(this_program(), {[&](const LogLine& line) { log.write(line); }, {}, {}});
  Json devices = Json::array();
  for (const PluginDescription& plugin : setup.catalogue.plugins) {
    for (const DeviceDescription& device : plugin.devices) devices.push_back(targets_json(setup, device, workers));
  }
  if (options.json) {
    print_text(stdout, Json{{"devices", std::move(devices)}}.dump(2) + "\n");
  } else {
    for (const Json& device : devices) print_text(stdout, targets_text(device));
  }
  return 0;
}

int list_exporters(const ListOptions& options) {
  Terminal terminal(stderr);
  Log log(terminal);
  const Catalogue catalogue = load_setup(options.setup).catalogue;
  log_refusals(catalogue, log);
  Json exporters = Json::array();
  for (const PluginDescription& plugin : catalogue.plugins) {
    for (const ExporterDescription& exporter : plugin.exporters) {
      if (!options.json) print_text(stdout, exporter_text(exporter));
    }
    const Json described = to_json(plugin);
    for (const Json& exporter : described.at("exporters")) exporters.push_back(exporter);
  }
  if (options.json) print_text(stdout, Json{{"exporters", std::move(exporters)}}.dump(2) + "\n");
  return 0;
}

/// Facts of all probes by key, each once.
int list_facts(const ListOptions& options) {
  Terminal terminal(stderr);
  Log log(terminal);
  const Catalogue catalogue = load_setup(options.setup).catalogue;
  log_refusals(catalogue, log);
  std::map<std::string, const FactDeclaration*> facts;
  for (const PluginDescription& plugin : catalogue.plugins) {
    for (const ProbeDescription& probe : plugin.probes) {
      for (const FactDeclaration& fact : probe.provides) facts.emplace(fact.key, &fact);
    }
  }
  Json json = Json::array();
  for (const auto& [key, fact] : facts) {
    json.push_back({{"key", key}, {"unit", fact->unit}, {"help", fact->help}});
    const bool has_unit = !fact->unit.empty() && fact->unit != "1";
    if (!options.json)
      print_text(stdout, fmt::format("{}  {}{}\n", key, visible(fact->help), has_unit ? " [" + fact->unit + "]" : ""));
  }
  if (options.json) print_text(stdout, Json{{"facts", std::move(json)}}.dump(2) + "\n");
  return 0;
}

/// The name of a GPU of the gallery, and how much its topology knows.
Json gallery_json(const std::string& name) {
  const Topology topology = read_topology("gallery:" + name);
  const auto device = topology.facts.find("device.name");
  return {{"name", "gallery:" + name},
          {"device", device == topology.facts.end() ? Json() : device->second.value},
          {"facts", topology.facts.size()},
          {"measured", topology.provenance.value("started", "")}};
}

int list_gallery(const ListOptions& options) {
  Json entries = Json::array();
  for (const std::string& name : gallery_names()) entries.push_back(gallery_json(name));
  if (options.json) {
    print_text(stdout, Json{{"gallery", std::move(entries)}}.dump(2) + "\n");
    return 0;
  }
  Table table({"name", "GPU", "facts", "measured"});
  for (const Json& entry : entries) {
    table.add({entry.at("name").get<std::string>(), quantity(entry.at("device"), ""), quantity(entry.at("facts"), ""),
               entry.at("measured").get<std::string>().substr(0, std::string_view("2026-11-22").size())});
  }
  print_text(stdout, table.text(Style(false)));
  return 0;
}

}  // namespace

void add_list_command(CLI::App& app, std::function<int()>& selected) {
  auto* command = app.add_subcommand("list", "List plugins with their probes, devices and parameters");
  const auto options = std::make_shared<ListOptions>();
  add_setup_options(*command, options->setup);
  command->add_flag("--json", options->json, "Write JSON");
  command->callback([options, command, &selected] {
    if (command->get_subcommands().empty()) selected = [options] { return list(*options); };
  });
  auto* devices = command->add_subcommand("devices", "List the devices and the targets that are available now");
  devices->fallthrough();
  devices->callback([options, &selected] { selected = [options] { return list_devices(*options); }; });
  auto* exporters = command->add_subcommand("exporters", "List the formats that `tomograph export` writes");
  exporters->fallthrough();
  exporters->callback([options, &selected] { selected = [options] { return list_exporters(*options); }; });
  auto* facts = command->add_subcommand("facts", "List all facts that can be measured, with what they mean");
  facts->fallthrough();
  facts->callback([options, &selected] { selected = [options] { return list_facts(*options); }; });
  auto* gallery = command->add_subcommand("gallery", "List the topologies of real GPUs that are installed");
  gallery->fallthrough();
  gallery->callback([options, &selected] { selected = [options] { return list_gallery(*options); }; });
}

}  // namespace tomograph::host
