#include "loading/description.hpp"

#include "documents/enum_names.hpp"

namespace tomograph::host {
namespace {

constexpr EnumNames<ValueType, 6> value_types{{{ValueType::boolean, "boolean"},
                                               {ValueType::integer, "integer"},
                                               {ValueType::real, "real"},
                                               {ValueType::text, "text"},
                                               {ValueType::list, "list"},
                                               {ValueType::table, "table"}}};
constexpr EnumNames<Scope, 3> scopes{{{Scope::sm, "sm"}, {Scope::partition, "partition"}, {Scope::device, "device"}}};

ValueType value_type(const Json& name) { return value_in(value_types, name.get<std::string>()); }
Scope scope(const Json& name) { return value_in(scopes, name.get<std::string>()); }

template <typename T, typename Read>
std::vector<T> list_from(const Json& json, Read read) {
  std::vector<T> elements;
  elements.reserve(json.size());
  for (const Json& element : json) elements.push_back(read(element));
  return elements;
}

template <typename T, typename Write>
Json list_to(const std::vector<T>& elements, Write write) {
  Json json = Json::array();
  for (const T& element : elements) json.push_back(write(element));
  return json;
}

Json fact_to(const FactDeclaration& fact) {
  return {{"key", fact.key},
          {"unit", fact.unit},
          {"help", fact.help},
          {"type", to_string(fact.type)},
          {"scope", to_string(fact.scope)}};
}
FactDeclaration fact_from(const Json& json) {
  return {json.at("key"), json.at("unit"), json.at("help"), value_type(json.at("type")), scope(json.at("scope"))};
}

Json need_to(const NeedDeclaration& need) { return {{"key", need.key}, {"optional", need.optional}}; }
NeedDeclaration need_from(const Json& json) { return {json.at("key"), json.at("optional")}; }

Json parameter_to(const ParameterDeclaration& parameter) {
  return {{"name", parameter.name},       {"help", parameter.help},       {"type", to_string(parameter.type)},
          {"minimum", parameter.minimum}, {"maximum", parameter.maximum}, {"default", parameter.default_value}};
}
ParameterDeclaration parameter_from(const Json& json) {
  return {json.at("name"),    json.at("help"),    value_type(json.at("type")),
          json.at("minimum"), json.at("maximum"), json.at("default")};
}

Json probe_to(const ProbeDescription& probe) {
  return {{"id", probe.id},
          {"question", probe.question},
          {"provides", list_to(probe.provides, fact_to)},
          {"needs", list_to(probe.needs, need_to)},
          {"parameters", list_to(probe.parameters, parameter_to)},
          {"expected_seconds", probe.expected_seconds},
          {"time_budget", probe.time_budget},
          {"is_model", probe.is_model},
          {"method", probe.method},
          {"uses_links", probe.uses_links},
          {"shares_device", probe.shares_device}};
}
ProbeDescription probe_from(const Json& json) {
  return {json.at("id"),
          json.at("question"),
          list_from<FactDeclaration>(json.at("provides"), fact_from),
          list_from<NeedDeclaration>(json.at("needs"), need_from),
          list_from<ParameterDeclaration>(json.at("parameters"), parameter_from),
          json.at("expected_seconds"),
          json.at("time_budget"),
          json.at("is_model"),
          json.at("method"),
          json.at("uses_links"),
          json.at("shares_device")};
}

Json device_to(const DeviceDescription& device) {
  return {{"id", device.id},
          {"description", device.description},
          {"target_help", device.target_help},
          {"parameters", list_to(device.parameters, parameter_to)},
          {"is_real", device.is_real}};
}
DeviceDescription device_from(const Json& json) {
  return {json.at("id"), json.at("description"), json.at("target_help"),
          list_from<ParameterDeclaration>(json.at("parameters"), parameter_from), json.at("is_real")};
}

Json executor_to(const ExecutorDescription& executor) {
  return {{"experiment", executor.experiment}, {"device", executor.device}, {"description", executor.description}};
}
ExecutorDescription executor_from(const Json& json) {
  return {json.at("experiment"), json.at("device"), json.at("description")};
}

Json exporter_to(const ExporterDescription& exporter) {
  return {{"id", exporter.id},
          {"description", exporter.description},
          {"suffix", exporter.suffix},
          {"parameters", list_to(exporter.parameters, parameter_to)},
          {"time_budget", exporter.time_budget},
          {"takes_several", exporter.takes_several},
          {"takes_evidence", exporter.takes_evidence}};
}
ExporterDescription exporter_from(const Json& json) {
  return {json.at("id"),
          json.at("description"),
          json.at("suffix"),
          list_from<ParameterDeclaration>(json.at("parameters"), parameter_from),
          json.at("time_budget"),
          json.at("takes_several"),
          json.at("takes_evidence")};
}

}  // namespace

std::map<std::string, std::string> executors_for(const std::string& device,
                                                 const std::vector<PluginDescription>& plugins) {
  std::map<std::string, std::string> files;
  for (const PluginDescription& plugin : plugins) {
    for (const ExecutorDescription& executor : plugin.executors) {
      if (executor.device == device) files.emplace(executor.experiment, plugin.path.string());
    }
  }
  return files;
}

std::string_view to_string(ValueType type) { return name_in(value_types, type); }
std::string_view to_string(Scope scope) { return name_in(scopes, scope); }

bool is_of_type(const Json& value, ValueType type) {
  switch (type) {
    case ValueType::boolean: return value.is_boolean();
    case ValueType::integer: return value.is_number_integer();
    case ValueType::real: return value.is_number();
    case ValueType::text: return value.is_string();
    case ValueType::list: return value.is_array();
    case ValueType::table: return value.is_object();
  }
  return false;
}

Json to_json(const PluginDescription& plugin) {
  return {{"path", plugin.path.string()},
          {"sha256", plugin.sha256},
          {"id", plugin.id},
          {"version", plugin.version},
          {"description", plugin.description},
          {"abi_major", plugin.abi_major},
          {"abi_minor", plugin.abi_minor},
          {"probes", list_to(plugin.probes, probe_to)},
          {"devices", list_to(plugin.devices, device_to)},
          {"executors", list_to(plugin.executors, executor_to)},
          {"exporters", list_to(plugin.exporters, exporter_to)}};
}

PluginDescription description_from_json(const Json& json) {
  return {json.at("path").get<std::string>(),
          json.at("sha256"),
          json.at("id"),
          json.at("version"),
          json.at("description"),
          json.at("abi_major"),
          json.at("abi_minor"),
          list_from<ProbeDescription>(json.at("probes"), probe_from),
          list_from<DeviceDescription>(json.at("devices"), device_from),
          list_from<ExecutorDescription>(json.at("executors"), executor_from),
          list_from<ExporterDescription>(json.at("exporters"), exporter_from)};
}

}  // namespace tomograph::host
