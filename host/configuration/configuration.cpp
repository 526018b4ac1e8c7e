#include "configuration/configuration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "documents/schema.hpp"
#include "tomograph/documents/nearest_name.hpp"

namespace tomograph::host {
namespace {

namespace fs = std::filesystem;

/// Makes a target that begins with ./ or ../ absolute: "sim:./x.toml".
std::string anchored_device(const std::string& device, const fs::path& folder) {
  const std::size_t target = device.find(':') + 1;  // 0 where there is none
  if (target == 0) return device;
  const std::string path = device.substr(target);
  if (!path.starts_with("./") && !path.starts_with("../")) return device;
  return device.substr(0, target) + (folder / path).lexically_normal().string();
}

std::map<std::string, ParameterValues> parameters_in(const Json& root, const char* section) {
  std::map<std::string, ParameterValues> result;
  if (!root.contains(section)) return result;
  for (const auto& [id, parameters] : root.at(section).items()) result[id] = parameters.get<ParameterValues>();
  return result;
}

std::string expected(const ParameterDeclaration& declared) {
  switch (declared.type) {
    case ValueType::boolean: return "true or false";
    case ValueType::integer:
      return fmt::format("an integer from {:.16g} to {:.16g}", declared.minimum, declared.maximum);
    case ValueType::real: return fmt::format("a number from {:.15g} to {:.15g}", declared.minimum, declared.maximum);
    case ValueType::text: return "text";
    case ValueType::list: return "an array";
    case ValueType::table: return "a table";
  }
  return {};
}

bool is_valid(const Json& value, const ParameterDeclaration& declared) {
  if (!is_of_type(value, declared.type)) return false;
  if (declared.type != ValueType::integer && declared.type != ValueType::real) return true;
  const auto number = value.get<double>();
  return declared.minimum <= number && number <= declared.maximum;
}

/// A probe, model or device with its parameters.
struct Owner {
  std::string id;
  std::span<const ParameterDeclaration> parameters;
};

std::vector<std::string> ids_of(const std::vector<Owner>& owners) {
  std::vector<std::string> ids;
  ids.reserve(owners.size());
  for (const Owner& owner : owners) ids.push_back(owner.id);
  return ids;
}

/// Why a parameter cannot have this value, or nothing.
std::optional<std::string> parameter_fault(const Owner& owner, const std::string& name, const Json& value) {
  const auto declared = std::ranges::find(owner.parameters, name, &ParameterDeclaration::name);
  if (declared != owner.parameters.end()) {
    if (is_valid(value, *declared)) return std::nullopt;
    return fmt::format("expected {}, found {}", expected(*declared), value.dump());
  }
  std::vector<std::string> names;
  for (const ParameterDeclaration& parameter : owner.parameters) names.push_back(parameter.name);
  return fmt::format("{} has no parameter \"{}\"{}", owner.id, name, suggestion(name, names));
}

/// Checks a configuration against what the plugins declare.
class Checker {
 public:
  Checker(const Configuration& configuration, std::span<const PluginDescription> plugins)
      : configuration_(&configuration) {
    for (const PluginDescription& plugin : plugins) {
      for (const auto& probe : plugin.probes) probes_.push_back({probe.id, probe.parameters});
      for (const auto& device : plugin.devices) devices_.push_back({device.id, device.parameters});
    }
  }

  std::vector<Problem> check() {
    check_device();
    check_section("probes", configuration_->probes, probes_);
    check_section("devices", configuration_->devices, devices_);
    return std::move(problems_);
  }

 private:
  void check_device() {
    if (!configuration_->device) return;
    const std::string id = configuration_->device->substr(0, configuration_->device->find(':'));
    const std::vector<std::string> known = ids_of(devices_);
    if (std::ranges::find(known, id) != known.end()) return;
    report("/device", "device", fmt::format("there is no device \"{}\"{}", id, suggestion(id, known)));
  }

  void check_section(const std::string& section, const std::map<std::string, ParameterValues>& values,
                     const std::vector<Owner>& owners) {
    for (const auto& [id, parameters] : values) {
      const std::string pointer = pointer_to("/" + section, id);
      const std::string key = toml_key(Json::object(), pointer);
      const auto owner = std::ranges::find(owners, id, &Owner::id);
      if (owner == owners.end()) {
        const std::string what = section == "probes" ? "probe or model" : "device";
        report(pointer, key, fmt::format("there is no {} \"{}\"{}", what, id, suggestion(id, ids_of(owners))));
        continue;
      }
      for (const auto& [name, value] : parameters) check_parameter(*owner, name, value, pointer);
    }
  }

  void check_parameter(const Owner& owner, const std::string& name, const Json& value, const std::string& section) {
    const auto fault = parameter_fault(owner, name, value);
    const std::string pointer = pointer_to(section, name);
    if (fault) report(pointer, toml_key(Json::object(), pointer), *fault);
  }

  void report(const std::string& pointer, std::string key, std::string message) {
    problems_.push_back(configuration_->at(pointer, std::move(key), std::move(message)));
  }

  const Configuration* configuration_;
  std::vector<Owner> probes_;
  std::vector<Owner> devices_;
  std::vector<Problem> problems_;
};

/// The value that an argument states: as in a file, or text without quotes.
Json stated_value(const std::string& text) {
  try {
    const Json document = parse_toml("value = " + text, "").value;
    return document.size() == 1 ? document.at("value") : Json(text);
  } catch (const InputError&) {
    return text;
  }
}

const ParameterValues* find(const std::map<std::string, ParameterValues>& values, const std::string& id) {
  const auto found = values.find(id);
  return found == values.end() ? nullptr : &found->second;
}

/// The settings of one file, without those that it extends.
Configuration alone(const TomlDocument& document) {
  const fs::path folder = fs::absolute(document.file).parent_path();
  const Json& root = document.value;
  const auto paths = [&](const char* key) {
    std::vector<fs::path> anchored;
    for (const auto& entry : root.value(key, std::vector<std::string>())) {
      anchored.push_back((folder / entry).lexically_normal());
    }
    return anchored;
  };
  Configuration configuration;
  configuration.files = {document.file};
  if (root.contains("device")) configuration.device = anchored_device(root.at("device"), folder);
  configuration.plugin_dirs = paths("plugin_dirs");
  configuration.given = paths("given");
  configuration.include = root.value("include", std::vector<std::string>());
  configuration.exclude = root.value("exclude", std::vector<std::string>());
  if (root.contains("max_probe_seconds")) configuration.max_probe_seconds = root.at("max_probe_seconds");
  configuration.probes = parameters_in(root, "probes");
  configuration.devices = parameters_in(root, "devices");
  for (const auto& [pointer, position] : document.positions) {
    configuration.places.emplace(pointer, ConfigurationPlace{document.file, position});
  }
  return configuration;
}

template <typename T>
void append(std::vector<T>& list, const std::vector<T>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

void add_missing(std::map<std::string, ParameterValues>& values, const std::map<std::string, ParameterValues>& more) {
  for (const auto& [id, parameters] : more) values[id].insert(parameters.begin(), parameters.end());
}

/// Adds the settings of `lower` that `upper` lacks.
void complete(Configuration& upper, const Configuration& lower) {
  const auto says = [&](const char* pointer) { return upper.places.contains(pointer); };
  if (!says("/device")) upper.device = lower.device;
  if (!says("/given")) upper.given = lower.given;
  if (!says("/include")) upper.include = lower.include;
  if (!says("/exclude")) upper.exclude = lower.exclude;
  if (!says("/max_probe_seconds")) upper.max_probe_seconds = lower.max_probe_seconds;
  append(upper.plugin_dirs, lower.plugin_dirs);
  add_missing(upper.probes, lower.probes);
  add_missing(upper.devices, lower.devices);
  upper.places.insert(lower.places.begin(), lower.places.end());
  upper.files.insert(upper.files.begin(), lower.files.begin(), lower.files.end());
}

/// Reads files that extend each other.
class Reader {
 public:
  Configuration read(const fs::path& path) {
    if (++files_ > most_files) {
      throw InputError(Problem{.file = path.string(), .message = "extended after more than 100 other files"});
    }
    const TomlDocument document = read_toml(path);
    if (auto problems = named_schema_violations(document, "configuration"); !problems.empty()) {
      throw InputError(std::move(problems));
    }
    open_.push_back(path);
    Configuration configuration = alone(document);
    const auto extended = document.value.value("extends", std::vector<std::string>());
    for (std::size_t i = extended.size(); i-- > 0;) {
      const fs::path file = (path.parent_path() / extended[i]).lexically_normal();
      require_extensible(file, document, pointer_to("/extends", std::to_string(i)));
      complete(configuration, read(file));
    }
    open_.pop_back();
    return configuration;
  }

 private:
  void require_extensible(const fs::path& file, const TomlDocument& document, const std::string& pointer) const {
    std::error_code error;
    if (!fs::is_regular_file(file, error)) {  // reading a device or pipe might never end
      throw InputError(document.at(pointer, "there is no file " + file.string()));
    }
    const auto same = [&](const fs::path& open) { return fs::equivalent(open, file, error); };
    const auto first = std::ranges::find_if(open_, same);
    if (first == open_.end()) return;
    std::string circle;
    for (auto open = first; open != open_.end(); ++open) circle += open->string() + " extends ";
    throw InputError(document.at(pointer, "files that extend each other in a circle: " + circle + first->string()));
  }

  /// Files that each extend another twice would be read 2^n times.
  static constexpr std::size_t most_files = 101;
  std::size_t files_ = 0;       ///< read so far; a file that is extended twice counts twice
  std::vector<fs::path> open_;  ///< the file being read, after those that extend it
};

}  // namespace

Problem Configuration::at(const std::string& pointer, std::string key, std::string message) const {
  const auto found = places.find(pointer);
  const fs::path fallback = files.empty() ? fs::path() : files.back();
  const ConfigurationPlace place = found == places.end() ? ConfigurationPlace{fallback, {}} : found->second;
  return {place.file.string(), place.position.line, place.position.column, std::move(key), std::move(message)};
}

Configuration read_configuration(const fs::path& path) { return Reader().read(path); }

std::vector<Problem> check_configuration(const Configuration& configuration,
                                         std::span<const PluginDescription> plugins) {
  return Checker(configuration, plugins).check();
}

ParameterValues stated_parameters(const std::string& option, const std::string& owner,
                                  std::span<const ParameterDeclaration> declared,
                                  std::span<const std::string> arguments) {
  ParameterValues values;
  std::vector<Problem> problems;
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const auto report = [&](std::string message) {
      problems.push_back({.key = fmt::format("{} {}", option, name), .message = std::move(message)});
    };
    if (equals == std::string::npos || equals == 0) {
      problems.push_back({.key = fmt::format("{} {}", option, argument), .message = "expected NAME=VALUE"});
      continue;
    }
    const Json value = stated_value(argument.substr(equals + 1));
    if (auto fault = parameter_fault({owner, declared}, name, value)) report(std::move(*fault));
    if (!values.emplace(name, value).second) report("is set twice");
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return values;
}

void override_parameters(Configuration& configuration, const DeviceDescription& device, const std::string& option,
                         std::span<const std::string> arguments) {
  for (auto& [name, value] : stated_parameters(option, device.id, device.parameters, arguments)) {
    configuration.devices[device.id][name] = value;
  }
}

ParameterValues effective_parameters(std::span<const ParameterDeclaration> declared, const ParameterValues* set) {
  ParameterValues values;
  for (const ParameterDeclaration& parameter : declared) values[parameter.name] = parameter.default_value;
  if (set != nullptr) {
    for (const auto& [name, value] : *set) values[name] = value;
  }
  return values;
}

ParameterValues probe_parameters(const Configuration& configuration, const ProbeDescription& probe) {
  return effective_parameters(probe.parameters, find(configuration.probes, probe.id));
}

ParameterValues device_parameters(const Configuration& configuration, const DeviceDescription& device) {
  return effective_parameters(device.parameters, find(configuration.devices, device.id));
}

}  // namespace tomograph::host
