#include "commands/setup.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>

#include "commands/device_name.hpp"
#include "commands/repeatable.hpp"
#include "loading/description_cache.hpp"
#include "loading/trust.hpp"
#include "planning/patterns.hpp"
#include "process/worker_process.hpp"
#include "tomograph/documents/input_error.hpp"
#include "tomograph/documents/nearest_name.hpp"
#include "topology/merge.hpp"
#include "topology/topology_file.hpp"

namespace tomograph::host {
namespace {

constexpr const char* fallback_device = "sim:h200";

std::vector<PluginFolder> plugin_folders(const SetupOptions& options, const Configuration& configuration) {
  std::vector<PluginFolder> folders;
  if (has_borrowed_rights()) {
    if (!options.plugin_dirs.empty() || !options.allowed_dirs.empty() || !options.libraries.empty()) {
      throw InputError("the program has more rights than its caller, so it loads installed plugins only");
    }
  } else {
    for (const auto& folder : options.plugin_dirs) folders.push_back({folder});
    for (const auto& folder : options.allowed_dirs) folders.push_back({folder, true});
    for (const auto& folder : environment_plugin_dirs()) folders.push_back({folder});
    for (const auto& folder : configuration.plugin_dirs) folders.push_back({folder});
  }
  std::ranges::copy(installed_plugin_folders(), std::back_inserter(folders));
  return folders;
}

void check_patterns(const Configuration& configuration, const char* key, const std::vector<std::string>& patterns,
                    const Catalogue& catalogue, std::vector<Problem>& problems) {
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const std::string index = std::to_string(i);
    if (const auto reason = unmatched(patterns[i], catalogue.plugins)) {
      problems.push_back(
          configuration.at("/" + std::string(key) + "/" + index, std::string(key) + "[" + index + "]", *reason));
    }
  }
}

ChosenDevice chosen(const Setup& setup, const PluginDescription& plugin, const DeviceDescription& device,
                    std::string target) {
  return {&plugin, &device, std::move(target), Json(device_parameters(setup.configuration, device)),
          executors_for(device.id, setup.catalogue.plugins)};
}

std::string target_list(const ChosenDevice& device, const std::vector<FoundTarget>& targets) {
  std::string list;
  for (const FoundTarget& target : targets) list += (list.empty() ? "" : ", ") + device.device->id + ":" + target.name;
  return list.empty() ? "; it has no targets here" : "; its targets are " + list;
}

/// The targets that the user may have meant, for an error message.
std::string other_targets(const ChosenDevice& device, Workers& workers) {
  try {
    const auto targets = workers.targets(device);
    std::vector<std::string> names;
    for (const FoundTarget& target : targets) names.push_back(device.device->id + ":" + target.name);
    if (std::ranges::find(names, device.name()) != names.end()) return {};
    const std::string nearest = suggestion(device.name(), names);
    return nearest.empty() ? target_list(device, targets) : nearest;
  } catch (const std::runtime_error&) {
    return {};
  }
}

/// What is wrong with a device that does not open, and what may be meant instead.
std::string mistake_in(const ChosenDevice& device, const std::string& reason, Workers& workers) {
  const std::size_t question = device.target.rfind('?');
  if (question != std::string::npos && !is_path(device.target)) {
    return "device " + device.name() + ": after '?', parameters are expected as NAME=VALUE, found '" +
           device.target.substr(question + 1) + "'";
  }
  const std::string others = is_path(device.target) ? std::string() : other_targets(device, workers);
  return "device " + device.name() + " cannot be opened: " + reason + others;
}

/// A number that the plugin rounds, or that is known with an interval, may be an integer or not.
bool is_value_of(const Json& value, ValueType type) {
  return is_of_type(value, type) || (type == ValueType::integer && value.is_number());
}

void require_declared_types(const Topology& given, const std::filesystem::path& file, const Catalogue& catalogue) {
  for (const PluginDescription& plugin : catalogue.plugins) {
    for (const ProbeDescription& probe : plugin.probes) {
      for (const FactDeclaration& declared : probe.provides) {
        const auto record = given.facts.find(declared.key);
        if (record == given.facts.end() || is_value_of(record->second.value, declared.type)) continue;
        throw InputError(Problem{file.string(), 0, 0, declared.key + ".value",
                                 "is " + record->second.value.dump() + ", but " + probe.id +
                                     " publishes values of type " + std::string(to_string(declared.type)) +
                                     "; remove the fact to measure it anew"});
      }
    }
  }
}

}  // namespace

void add_setup_options(CLI::App& command, SetupOptions& options) {
  command.add_option("--config", options.config, "Configuration file (tomograph.toml)");
  make_repeatable(
      command.add_option("--plugin-dir", options.plugin_dirs, "Folder with plugins, searched before all others"));
  make_repeatable(command.add_option("--allow-plugin-dir", options.allowed_dirs,
                                     "Folder with plugins to search although others can write there"));
}

void add_selection_options(CLI::App& command, SelectionOptions& options) {
  make_repeatable(command.add_option("--only", options.only,
                                     "Pattern of probes or facts to measure, e.g. 'l1_data.*' (repeatable)"));
  make_repeatable(
      command.add_option("--given", options.given, "Topology file with facts that are already known (repeatable)"));
  command.add_option("--method", options.method,
                     "Published method whose probes replace the usual ones, e.g. saavedra1992 (see list)");
}

Setup load_setup(const SetupOptions& options) {
  Setup setup;
  if (!options.config.empty()) setup.configuration = read_configuration(options.config);
  std::vector<PluginFile> files;
  for (const PluginFile& file : plugin_files(plugin_folders(options, setup.configuration))) {
    const auto is_named_alike = [&](const auto& library) { return library.filename() == file.path.filename(); };
    if (std::ranges::none_of(options.libraries, is_named_alike)) files.push_back(file);
  }
  for (const auto& library : options.libraries) files.push_back({library});
  setup.catalogue = catalogue(
      files, {.program = this_program(), .cache = default_cache_folder(), .installation = installed_plugin_dir()});
  auto problems = check_configuration(setup.configuration, setup.catalogue.plugins);
  check_patterns(setup.configuration, "include", setup.configuration.include, setup.catalogue, problems);
  check_patterns(setup.configuration, "exclude", setup.configuration.exclude, setup.catalogue, problems);
  if (!problems.empty()) throw InputError(std::move(problems));
  return setup;
}

void log_refusals(const Catalogue& catalogue, Log& log) {
  for (const Refusal& refusal : catalogue.refused) {
    log.write(LogLevel::warning, "plugin refused: " + refusal.path.string() + ": " + refusal.reason);
  }
}

bool log_faults(const Plan& plan, Log& log) {
  for (const std::string& warning : plan.warnings) log.write(LogLevel::warning, warning);
  bool any = false;
  for (const LeftOut& left : plan.left_out) {
    if (left.cause == LeftOut::Cause::excluded) continue;
    log.write(LogLevel::error, "probe " + left.probe->id + " cannot run: " + left.reason);
    any = true;
  }
  return any;
}

PlanRequest plan_request(const Setup& setup, const SelectionOptions& options, const Topology& given) {
  const Configuration& configuration = setup.configuration;
  PlanRequest request{.only = options.only,
                      .include = configuration.include,
                      .exclude = configuration.exclude,
                      .known = {},
                      .settled = {},
                      .method = options.method,
                      .max_probe_seconds = configuration.max_probe_seconds};
  for (const auto& [key, record] : given.facts) request.known.insert(key);
  return request;
}

std::vector<std::filesystem::path> given_files(const Setup& setup, const SelectionOptions& options) {
  std::vector<std::filesystem::path> files = options.given;
  files.insert(files.end(), setup.configuration.given.begin(), setup.configuration.given.end());
  return files;
}

Topology read_earlier_topology(const Setup& setup, const std::filesystem::path& file) {
  Topology topology = read_topology(file);
  require_declared_types(topology, file, setup.catalogue);
  return topology;
}

Topology read_given(const Setup& setup, const std::vector<std::filesystem::path>& files) {
  Topology merged;
  for (const auto& file : files) add_given(merged, read_earlier_topology(setup, file));
  return merged;
}

ChosenDevice find_device(const Setup& setup, const std::string& name) {
  const auto [id, target, parameters] = parsed_device_name(name);
  std::vector<std::string> ids;
  for (const PluginDescription& plugin : setup.catalogue.plugins) {
    for (const DeviceDescription& device : plugin.devices) {
      if (device.id == id) {
        return chosen(setup, plugin, device, target);
      }
      ids.push_back(device.id);
    }
  }
  std::string known;
  for (const std::string& device : ids) known += (known.empty() ? "; there are " : ", ") + device;
  const std::string nearest = suggestion(id, ids);
  throw InputError("there is no device '" + id + "'" + (nearest.empty() ? known : nearest));
}

ChosenDevice default_device(const Setup& setup, Workers& workers, Log& log) {
  for (const PluginDescription& plugin : setup.catalogue.plugins) {
    for (const DeviceDescription& device : plugin.devices) {
      if (!device.is_real) continue;
      ChosenDevice candidate = chosen(setup, plugin, device, {});
      try {
        const auto targets = workers.targets(candidate);
        if (targets.empty()) continue;
        candidate.target = targets.front().name;
        return candidate;
      } catch (const std::runtime_error& error) {
        log.write(LogLevel::warning, "device " + device.id + " cannot name its targets: " + error.what());
      }
    }
  }
  log.write(LogLevel::warning, std::string("no GPU found, measuring the simulated one instead: ") + fallback_device);
  return find_device(setup, fallback_device);
}

void override_device_parameters(Configuration& configuration, const DeviceDescription& device,
                                const std::vector<std::string>& arguments, const std::string& name) {
  override_parameters(configuration, device, "--device-parameter", arguments);
  override_parameters(configuration, device, "--device " + name + ":", parsed_device_name(name).parameters);
}

std::map<std::string, FactRecord> open_device(const ChosenDevice& device, Workers& workers) {
  if (device.target.empty()) {
    throw InputError("device '" + device.device->id + "' needs a target (" + device.device->target_help + "), as in " +
                     device.device->id + ":<target>" + other_targets(device, workers));
  }
  try {
    return workers.open(device);
  } catch (const std::runtime_error& error) {
    throw InputError(mistake_in(device, error.what(), workers));
  }
}

}  // namespace tomograph::host
