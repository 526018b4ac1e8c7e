#ifndef TOMOGRAPH_HOST_CONFIGURATION_CONFIGURATION_HPP
#define TOMOGRAPH_HOST_CONFIGURATION_CONFIGURATION_HPP

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "documents/toml_document.hpp"
#include "loading/description.hpp"

namespace tomograph::host {

/// Parameters by name, as the user set them.
using ParameterValues = std::map<std::string, Json>;

/// Where a key of a configuration comes from.
struct ConfigurationPlace {
  std::filesystem::path file;
  TomlPosition position;
};

/// What tomograph.toml and the files that it extends say. Default-constructed: no file, nothing said.
struct Configuration {
  /// All files that were read, each before those that extend it: what a later one says counts.
  std::vector<std::filesystem::path> files;
  std::optional<std::string> device;  ///< "sim:./x.toml" and the like made absolute, relative to the file's folder
  std::vector<std::filesystem::path> plugin_dirs;  ///< absolute; in the file relative to its folder
  std::vector<std::filesystem::path> given;        ///< earlier topologies; absolute as well
  std::vector<std::string> include;                ///< patterns of probes or facts; empty means all
  std::vector<std::string> exclude;
  std::optional<double> max_probe_seconds;           ///< probes that are expected to take longer are left out
  std::map<std::string, ParameterValues> probes;     ///< by probe or model id
  std::map<std::string, ParameterValues> devices;    ///< by device id
  std::map<std::string, ConfigurationPlace> places;  ///< by JSON pointer into the file that has the last word

  /// A problem at a place of a file, e.g. at("/include/0", "include[0]", "matches no probe").
  [[nodiscard]] Problem at(const std::string& pointer, std::string key, std::string message) const;
};

/// Reads the file and those that it extends, and checks all that can be checked without plugins: syntax, keys, types.
/// What a file says counts more than what the files say that it extends, and of these the later more than the earlier.
/// Folders with plugins add up; parameters are taken one by one; any other key is taken whole.
/// @throws InputError that names file, line, column and key of each problem; also where a file extends itself.
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
