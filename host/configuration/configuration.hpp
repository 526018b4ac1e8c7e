#ifndef TOMOGRAPH_HOST_CONFIGURATION_CONFIGURATION_HPP
#define TOMOGRAPH_HOST_CONFIGURATION_CONFIGURATION_HPP

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "configuration/toml_document.hpp"
#include "loading/description.hpp"

namespace tomograph::host {

/// Parameters by name, as the user set them.
using ParameterValues = std::map<std::string, Json>;

/// What tomograph.toml says. Default-constructed: no file, nothing said.
struct Configuration {
  std::filesystem::path file;
  std::optional<std::string> device;  ///< "sim:./x.toml" and the like made absolute, relative to the file's folder
  std::vector<std::filesystem::path> plugin_dirs;  ///< absolute; in the file relative to its folder
  std::vector<std::string> include;                ///< patterns of probes or facts; empty means all
  std::vector<std::string> exclude;
  std::map<std::string, ParameterValues> probes;   ///< by probe or model id
  std::map<std::string, ParameterValues> devices;  ///< by device id
  TomlPositions positions;

  /// A problem at a place of the file, e.g. at("/include/0", "include[0]", "matches no probe").
  [[nodiscard]] Problem at(const std::string& pointer, std::string key, std::string message) const;
};

/// Reads the file and checks all that can be checked without plugins: syntax, keys, types.
/// @throws InputError that names file, line, column and key of each problem.
[[nodiscard]] Configuration read_configuration(const std::filesystem::path& path);

/// What is wrong with the configuration given these plugins: unknown device, probe or parameter, wrong type or
/// range. Empty if nothing is.
[[nodiscard]] std::vector<Problem> check_configuration(const Configuration& configuration,
                                                       std::span<const PluginDescription> plugins);

/// Every declared parameter with its value: the user's if set, else the default. For a configuration that
/// `check_configuration` has nothing against. `set` may be null: nothing set.
[[nodiscard]] ParameterValues effective_parameters(std::span<const ParameterDeclaration> declared,
                                                   const ParameterValues* set);
[[nodiscard]] ParameterValues probe_parameters(const Configuration& configuration, const ProbeDescription& probe);
[[nodiscard]] ParameterValues device_parameters(const Configuration& configuration, const DeviceDescription& device);

}  // namespace tomograph::host

#endif
