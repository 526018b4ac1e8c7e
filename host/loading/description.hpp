#ifndef TOMOGRAPH_HOST_LOADING_DESCRIPTION_HPP
#define TOMOGRAPH_HOST_LOADING_DESCRIPTION_HPP

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

/// Descriptions of plugins, copied from their static descriptors. They are all that `list`, `plan` and the
/// configuration need, so these never load a plugin into their process.
namespace tomograph::host {

using Json = nlohmann::json;

enum class ValueType { boolean, integer, real, text, list, table };
enum class Scope { sm, partition, device };

/// The name in files: "boolean", "integer", ...; "sm", "partition", "device".
[[nodiscard]] std::string_view to_string(ValueType type);
[[nodiscard]] std::string_view to_string(Scope scope);

/// Whether a JSON value is of this type. Integers are reals, too.
[[nodiscard]] bool is_of_type(const Json& value, ValueType type);

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

/// Links of the node that a probe measures and that other GPUs use as well (abi/plugin.h).
enum class LinkUse : std::uint8_t { none, gpus, host };

/// A probe, or a model if `is_model` is set. A model runs without a device.
struct ProbeDescription {
  std::string id;
  std::string question;
  std::vector<FactDeclaration> provides;
  std::vector<NeedDeclaration> needs;
  std::vector<ParameterDeclaration> parameters;
  double expected_seconds = 0;
  double time_budget = 0;
  bool is_model = false;
  std::string method = {};  ///< the published method that it belongs to (--method); empty: runs by default
  LinkUse uses_links = LinkUse::none;
  bool shares_device = false;  ///< experiments of other such probes may run between its batches

  /// Whether it is a model that predicts the kernel in its text parameter "kernel", for `tomograph predict`.
  [[nodiscard]] bool predicts_kernels() const {
    return is_model && std::ranges::any_of(parameters, [](const ParameterDeclaration& parameter) {
             return parameter.name == "kernel" && parameter.type == ValueType::text;
           });
  }
};

struct DeviceDescription {
  std::string id;
  std::string description;
  std::string target_help;
  std::vector<ParameterDeclaration> parameters;
  bool is_real = false;
};

/// Kernels with which a plugin executes its own experiments on the device of another plugin.
struct ExecutorDescription {
  std::string experiment;
  std::string device;
  std::string description;
};

/// Writes topologies in one format.
struct ExporterDescription {
  std::string id;  ///< name of the format
  std::string description;
  std::string suffix;  ///< of the file's name, e.g. ".csv"
  std::vector<ParameterDeclaration> parameters;
  double time_budget = 0;  ///< seconds
  bool takes_several = false;
  bool takes_evidence = false;
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
  std::vector<ExporterDescription> exporters = {};
};

/// Paths of the plugins with executors for this device, by the id of the experiment.
[[nodiscard]] std::map<std::string, std::string> executors_for(const std::string& device,
                                                               const std::vector<PluginDescription>& plugins);

/// A description as JSON, for messages and for the cache. Reading it back gives the same description.
[[nodiscard]] Json to_json(const PluginDescription& plugin);
[[nodiscard]] PluginDescription description_from_json(const Json& json);

}  // namespace tomograph::host

#endif
