#ifndef TOMOGRAPH_HOST_LOADING_DESCRIPTION_HPP
#define TOMOGRAPH_HOST_LOADING_DESCRIPTION_HPP

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What a plugin says about itself, copied out of its static descriptors: all that `list`, `plan`, `validate`
/// and the configuration need, without the library being loaded in their process.
namespace tomograph::host {

using Json = nlohmann::json;

enum class ValueType { boolean, integer, real, text, list, table };
enum class Scope { sm, partition, device };

/// The name as it stands in files: "boolean", "integer", ...; "sm", "partition", "device".
[[nodiscard]] std::string_view to_string(ValueType type);
[[nodiscard]] std::string_view to_string(Scope scope);

struct FactDeclaration {
  std::string key;
  std::string unit;
  std::string help;
  ValueType type = ValueType::integer;
  Scope scope = Scope::device;
};

struct NeedDeclaration {
  std::string key;
  bool optional = false;
};

struct ParameterDeclaration {
  std::string name;
  std::string help;
  ValueType type = ValueType::integer;
  double minimum = 0;
  double maximum = 0;
  Json default_value;
};

/// A probe, or a model: then `is_model` is set and it runs without a device.
struct ProbeDescription {
  std::string id;
  std::string question;
  std::vector<FactDeclaration> provides;
  std::vector<NeedDeclaration> needs;
  std::vector<ParameterDeclaration> parameters;
  double expected_seconds = 0;
  double time_budget = 0;
  bool is_model = false;
  std::string method = {};  ///< published method that must be asked for; empty: runs by default
};

struct DeviceDescription {
  std::string id;
  std::string description;
  std::string target_help;
  std::vector<ParameterDeclaration> parameters;
  bool is_real = false;
};

/// Kernels that a plugin brings for experiments of its own on a device that another plugin carries.
struct ExecutorDescription {
  std::string experiment;
  std::string device;
  std::string description;
};

struct PluginDescription {
  std::filesystem::path path;
  std::string sha256;
  std::string id;
  std::string version;
  std::string description;
  int abi_major = 0;
  int abi_minor = 0;
  std::vector<ProbeDescription> probes;
  std::vector<DeviceDescription> devices;
  std::vector<ExecutorDescription> executors;
};

/// Files of the plugins that bring executors for this device, by the id of the experiment that each executes.
[[nodiscard]] std::map<std::string, std::string> executors_for(const std::string& device,
                                                               const std::vector<PluginDescription>& plugins);

/// Lossless both ways: the form in which a describing process answers and in which descriptions are cached.
[[nodiscard]] Json to_json(const PluginDescription& plugin);
[[nodiscard]] PluginDescription description_from_json(const Json& json);

}  // namespace tomograph::host

#endif
