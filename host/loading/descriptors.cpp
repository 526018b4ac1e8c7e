#include "loading/descriptors.hpp"

#include <cmath>
#include <cstddef>
#include <cstring>
#include <set>
#include <stdexcept>
#include <utility>

#include "loading/names.hpp"
#include "topology/merge.hpp"

namespace tomograph::host {
namespace {

/// Limits that no sensible plugin reaches; beyond them, a count or size is taken for uninitialized memory.
constexpr std::uint32_t most_elements = 4096;
constexpr std::size_t longest_string = 16384;
constexpr std::uint32_t largest_struct = 4096;

/// Bytes of T in ABI 1.0. Fields that were added later may be missing.
template <typename T>
constexpr std::size_t first_size = sizeof(T);
template <>
constexpr std::size_t first_size<tomograph_probe> = offsetof(tomograph_probe, method);

std::string unit_list() {
  std::string list;
  for (const std::string_view unit : units()) list += (list.empty() ? "\"" : ", \"") + std::string(unit) + "\"";
  return list;
}

bool is_default(const Json& value, ValueType type) {
  const bool is_scalar = type != ValueType::list && type != ValueType::table;
  return is_scalar && is_of_type(value, type);
}

/// What no host of this version knows may disturb every other GPU.
LinkUse link_use(std::uint32_t value) {
  if (value == 0) return LinkUse::none;
  return value == TOMOGRAPH_LINK_TO_HOST ? LinkUse::host : LinkUse::gpus;
}

/// Reads descriptors. After a violation it goes on with a harmless value.
class Reader {
 public:
  Examination take() { return std::move(read_); }

  void read(const tomograph_plugin& entry) {
    PluginDescription& plugin = read_.plugin;
    plugin.abi_major = static_cast<int>(entry.abi_major);
    plugin.abi_minor = static_cast<int>(entry.abi_minor);
    plugin.id = copy_name(entry.id, "id", is_plugin_id, "lower-case letters, digits and '-'");
    plugin.version = copy_name(entry.version, "version", is_version, "\"major.minor.patch\"");
    plugin.description = copy_text(entry.description, "description");
    for_each(entry.probes, entry.probe_count, "probes",
             [&](const tomograph_probe& probe, const std::string& name) { add_probe(probe, name); });
    for_each(entry.models, entry.model_count, "models", [&](const tomograph_model& model, const std::string& name) {
      plugin.probes.push_back(read_probe(model, name));
      plugin.probes.back().is_model = true;
    });
    for_each(entry.devices, entry.device_count, "devices",
             [&](const tomograph_device& device, const std::string& name) {
               plugin.devices.push_back(read_device(device, name));
             });
    if (entry.struct_size >= offsetof(tomograph_plugin, exporter_count)) {  // the first plugins have no executors
      for_each(entry.executors, entry.executor_count, "executors",
               [&](const tomograph_executor& executor, const std::string& name) {
                 plugin.executors.push_back(read_executor(executor, name));
               });
    }
    if (entry.struct_size >= sizeof(tomograph_plugin)) {  // plugins built for ABI 1.0 have no exporters
      for_each(entry.exporters, entry.exporter_count, "exporters",
               [&](const tomograph_exporter& exporter, const std::string& name) {
                 plugin.exporters.push_back(read_exporter(exporter, name));
               });
    }
    require_distinct(plugin.exporters, "exporter");
    require_distinct(plugin.probes, "probe");
    require_distinct(plugin.devices, "device");
  }

 private:
  void broken(Rule rule, const std::string& where, const std::string& what) {
    read_.violations.push_back({rule, where + ": " + what});
  }

  std::string copy_text(const char* text, const std::string& where) {
    if (text == nullptr) {
      broken(Rule::strings, where, "is null");
      return {};
    }
    const std::size_t length = ::strnlen(text, longest_string + 1);
    if (length > longest_string) {
      broken(Rule::strings, where, "is longer than " + std::to_string(longest_string) + " bytes");
      return {};
    }
    std::string copied(text, length);
    try {
      static_cast<void>(Json(copied).dump());  // strict about UTF-8
    } catch (const Json::exception&) {
      broken(Rule::strings, where, "is not UTF-8");
      return {};
    }
    return copied;
  }

  std::string copy_name(const char* text, const std::string& where, bool (*is_right)(std::string_view),
                        const std::string& expected, Rule rule = Rule::identifiers) {
    const std::size_t before = read_.violations.size();
    std::string name = copy_text(text, where);
    if (read_.violations.size() == before && !is_right(name)) {
      broken(rule, where, "is \"" + name + "\", expected " + expected);
    }
    return name;
  }

  /// Calls `read(element, name)` for each element of a pointer-to-pointer array that crossed the boundary.
  template <typename T, typename Read>
  void for_each(const T* const* elements, std::uint32_t count, const std::string& where, Read read) {
    if (count > most_elements) {
      return broken(Rule::sizes, where, "counts " + std::to_string(count) + " elements, at most 4096 make sense");
    }
    if (count > 0 && elements == nullptr) {
      return broken(Rule::sizes, where, "is null but counts " + std::to_string(count) + " elements");
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::string name = where + "[" + std::to_string(i) + "]";
      if (elements[i] == nullptr) {
        broken(Rule::sizes, name, "is null");
      } else if (const std::uint32_t size = elements[i]->struct_size; size < first_size<T> || size > largest_struct) {
        broken(Rule::sizes, name,
               "has struct_size " + std::to_string(size) + ", expected " +
                   (size > largest_struct ? "at most " + std::to_string(largest_struct)
                                          : "at least " + std::to_string(first_size<T>)));
      } else {
        read(*elements[i], name);
      }
    }
  }

  ValueType value_type(tomograph_value_type type, const std::string& where, Rule rule) {
    if (type < TOMOGRAPH_BOOLEAN || type > TOMOGRAPH_TABLE) {
      broken(rule, where, "has unknown type " + std::to_string(type));
      return ValueType::integer;
    }
    return static_cast<ValueType>(type - TOMOGRAPH_BOOLEAN);
  }

  Scope scope(tomograph_scope scope, const std::string& where) {
    if (scope < TOMOGRAPH_PER_SM || scope > TOMOGRAPH_PER_DEVICE) {
      broken(Rule::facts, where, "has unknown scope " + std::to_string(scope));
      return Scope::device;
    }
    return static_cast<Scope>(scope - TOMOGRAPH_PER_SM);
  }

  FactDeclaration read_fact(const tomograph_fact_spec& spec, const std::string& where) {
    FactDeclaration fact;
    const std::size_t before = read_.violations.size();
    fact.key = copy_name(spec.key, where + ".key", is_fact_key, "a lower-case path such as \"l1_data.line_size\"",
                         Rule::facts);
    if (read_.violations.size() == before) {
      if (const auto obstacle = key_obstacle(fact.key)) broken(Rule::facts, where + ".key", *obstacle);
    }
    fact.unit = copy_name(spec.unit, where + ".unit", is_unit, "one of " + unit_list(), Rule::facts);
    fact.help = copy_text(spec.help, where + ".help");
    fact.type = value_type(spec.type, where, Rule::facts);
    fact.scope = scope(spec.scope, where);
    return fact;
  }

  ParameterDeclaration read_parameter(const tomograph_parameter_spec& spec, const std::string& where) {
    ParameterDeclaration parameter;
    parameter.name =
        copy_name(spec.name, where + ".name", is_parameter_name, "lower-case words joined by '_'", Rule::parameters);
    parameter.help = copy_text(spec.help, where + ".help");
    parameter.type = value_type(spec.type, where, Rule::parameters);
    parameter.default_value = Json::parse(copy_text(spec.default_json, where + ".default_json"), nullptr, false);
    if (!is_default(parameter.default_value, parameter.type)) {
      broken(Rule::parameters, where + ".default_json", "is no JSON " + std::string(to_string(parameter.type)));
      return parameter;
    }
    if (parameter.type != ValueType::integer && parameter.type != ValueType::real) return parameter;
    parameter.minimum = spec.minimum;
    parameter.maximum = spec.maximum;
    const auto value = parameter.default_value.get<double>();
    if (!(spec.minimum <= value && value <= spec.maximum) || !std::isfinite(spec.minimum) ||
        !std::isfinite(spec.maximum)) {
      broken(Rule::parameters, where, "has the default " + parameter.default_value.dump() + " outside its range");
    }
    return parameter;
  }

  std::vector<ParameterDeclaration> read_parameters(const tomograph_parameter_spec* const* parameters,
                                                    std::uint32_t count, const std::string& where) {
    std::vector<ParameterDeclaration> read;
    std::set<std::string> names;
    for_each(parameters, count, where, [&](const tomograph_parameter_spec& spec, const std::string& name) {
      read.push_back(read_parameter(spec, name));
      if (!names.insert(read.back().name).second) {
        broken(Rule::parameters, name, "declares " + read.back().name + " a second time");
      }
    });
    return read;
  }

  std::string read_probe_id(const char* id, const std::string& where) {
    const std::size_t before = read_.violations.size();
    const std::string prefix = read_.plugin.id + "/";
    std::string copied = copy_text(id, where + ".id");
    if (read_.violations.size() == before &&
        (!copied.starts_with(prefix) || !is_probe_name(std::string_view(copied).substr(prefix.size())))) {
      broken(Rule::identifiers, where + ".id",
             "is \"" + copied + "\", expected \"" + prefix + "<name>\" in lower case");
    }
    return copied;
  }

  /// Probes and models differ only in `expected_seconds` and `method`.
  template <typename T>
  ProbeDescription read_probe(const T& descriptor, const std::string& where) {
    ProbeDescription probe;
    probe.id = read_probe_id(descriptor.id, where);
    const std::string named = where + " (" + probe.id + ")";
    probe.question = copy_text(descriptor.question, named + ".question");
    if (!probe.question.ends_with('?')) broken(Rule::questions, named + ".question", "does not end in a question mark");
    std::set<std::string> keys;
    for_each(descriptor.provides, descriptor.provides_count, named + ".provides",
             [&](const tomograph_fact_spec& spec, const std::string& name) {
               probe.provides.push_back(read_fact(spec, name));
               const std::string& key = probe.provides.back().key;
               if (!keys.insert(key).second) broken(Rule::facts, name, "declares " + key + " a second time");
             });
    if (probe.provides.empty()) broken(Rule::facts, named, "provides no fact");
    for_each(descriptor.needs, descriptor.needs_count, named + ".needs",
             [&](const tomograph_need& need, const std::string& name) {
               probe.needs.push_back({copy_name(need.key, name + ".key", is_fact_key, "the key of a fact", Rule::facts),
                                      need.optional != 0});
             });
    probe.parameters = read_parameters(descriptor.parameters, descriptor.parameter_count, named + ".parameters");
    probe.time_budget = descriptor.time_budget;
    if (!(probe.time_budget > 0) || !std::isfinite(probe.time_budget)) {
      broken(Rule::times, named, "has no positive time budget");
    }
    if (descriptor.run == nullptr) broken(Rule::functions, named + ".run", "is null");
    return probe;
  }

  void add_probe(const tomograph_probe& descriptor, const std::string& where) {
    ProbeDescription probe = read_probe(descriptor, where);
    if (!(descriptor.expected_seconds >= 0) || !std::isfinite(descriptor.expected_seconds)) {
      broken(Rule::times, where, "has expected seconds that are negative or not finite");
    }
    probe.expected_seconds = descriptor.expected_seconds;
    const bool has_method = descriptor.struct_size >= offsetof(tomograph_probe, uses_links);
    if (has_method && descriptor.method != nullptr) {
      probe.method = copy_name(descriptor.method, where + ".method", is_method_name, "lower-case letters and digits");
    }
    // Plugins built for ABI 1.1 say nothing. Those built for 1.2 have zeros where the last field is: static data's
    // padding.
    if (descriptor.struct_size >= sizeof(tomograph_probe)) {
      probe.uses_links = link_use(descriptor.uses_links);
      probe.shares_device = descriptor.shares_device != 0;
    }
    read_.plugin.probes.push_back(std::move(probe));
  }

  DeviceDescription read_device(const tomograph_device& descriptor, const std::string& where) {
    DeviceDescription device;
    device.id = copy_name(descriptor.id, where + ".id", is_device_id, "a lower-case word");
    device.description = copy_text(descriptor.description, where + ".description");
    device.target_help = copy_text(descriptor.target_help, where + ".target_help");
    device.parameters = read_parameters(descriptor.parameters, descriptor.parameter_count, where + ".parameters");
    device.is_real = descriptor.is_real != 0;
    if (descriptor.enumerate == nullptr || descriptor.open == nullptr || descriptor.execute == nullptr ||
        descriptor.close == nullptr) {
      broken(Rule::functions, where + " (" + device.id + ")", "lacks one of its four functions");
    }
    return device;
  }

  /// The experiment's id must start with the plugin's id, so that no plugin answers experiments of another.
  ExecutorDescription read_executor(const tomograph_executor& descriptor, const std::string& where) {
    ExecutorDescription executor;
    const std::string& plugin_id = read_.plugin.id;
    const std::size_t before = read_.violations.size();
    executor.experiment = copy_name(descriptor.experiment, where + ".experiment", is_experiment_id,
                                    "a lower-case name and a number, such as \"" + plugin_id + ".name/1\"");
    const std::string_view rest = std::string_view(executor.experiment).substr(0, plugin_id.size() + 1);
    if (read_.violations.size() == before && rest != plugin_id + "." && rest != plugin_id + "/") {
      broken(Rule::identifiers, where + ".experiment",
             "is \"" + executor.experiment + "\", expected an id that starts with that of the plugin, \"" + plugin_id +
                 "\"");
    }
    executor.device = copy_name(descriptor.device, where + ".device", is_device_id, "a lower-case word");
    executor.description = copy_text(descriptor.description, where + ".description");
    if (descriptor.open == nullptr || descriptor.execute == nullptr || descriptor.close == nullptr) {
      broken(Rule::functions, where + " (" + executor.experiment + ")", "lacks one of its three functions");
    }
    return executor;
  }

  ExporterDescription read_exporter(const tomograph_exporter& descriptor, const std::string& where) {
    ExporterDescription exporter;
    exporter.id = copy_name(descriptor.id, where + ".id", is_device_id, "a lower-case word");
    const std::string named = where + " (" + exporter.id + ")";
    exporter.description = copy_text(descriptor.description, named + ".description");
    exporter.suffix = copy_name(descriptor.suffix, named + ".suffix", is_file_suffix, "one such as \".csv\"");
    exporter.parameters = read_parameters(descriptor.parameters, descriptor.parameter_count, named + ".parameters");
    exporter.time_budget = descriptor.time_budget;
    if (!(exporter.time_budget > 0) || !std::isfinite(exporter.time_budget)) {
      broken(Rule::times, named, "has no positive time budget");
    }
    exporter.takes_several = descriptor.takes_several != 0;
    exporter.takes_evidence = descriptor.takes_evidence != 0;
    if (descriptor.write == nullptr) broken(Rule::functions, named + ".write", "is null");
    return exporter;
  }

  template <typename T>
  void require_distinct(const std::vector<T>& declared, const std::string& what) {
    std::set<std::string> ids;
    for (const T& one : declared) {
      if (!ids.insert(one.id).second) broken(Rule::identifiers, what + " " + one.id, "is there a second time");
    }
  }

  Examination read_;
};

}  // namespace

Examination examine(const tomograph_plugin& entry) {
  Reader reader;
  reader.read(entry);
  return reader.take();
}

PluginDescription describe(const tomograph_plugin& entry) {
  Examination found = examine(entry);
  if (!found.violations.empty()) throw std::runtime_error(found.violations.front().text);
  return std::move(found.plugin);
}

}  // namespace tomograph::host
