#ifndef TOMOGRAPH_HOST_CONFIGURATION_CONFIGURATION_HPP
#define TOMOGRAPH_HOST_CONFIGURATION_CONFIGURATION_HPP

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "loading/description.hpp"
#include "tomograph/documents/toml_document.hpp"

namespace tomograph::host {

/// Values of parameters, by name.
using ParameterValues = std::map<std::string, Json>;

/// The file and position of a key.
struct ConfigurationPlace {
  std::filesystem::path file;
  TomlPosition position;
};

/// The settings of tomograph.toml and of the files that it extends. Default-constructed: no file, no settings.
struct Configuration {
  /// All files that were read, each before those that extend it. Later files override earlier ones.
  std::vector<std::filesystem::path> files;
  std::optional<std::string> device;  ///< "sim:./x.toml" and the like made absolute, relative to the file's folder
  std::vector<std::filesystem::path> plugin_dirs;  ///< absolute; in the file relative to its folder
  std::vector<std::filesystem::path> given;        ///< earlier topologies; absolute
  std::vector<std::string> include;                ///< patterns of probes or facts; empty means all
  std::vector<std::string> exclude;
  std::optional<double> max_probe_seconds;           ///< probes that are expected to take longer are left out
  std::map<std::string, ParameterValues> probes;     ///< by probe or model id
  std::map<std::string, ParameterValues> devices;    ///< by device id
  std::map<std::string, ConfigurationPlace> places;  ///< by JSON pointer, in the file whose value is used

  /// A problem at a place of a file, e.g. at("/include/0", "include[0]", "matches no probe").
  [[nodiscard]] Problem at(const std::string& pointer, std::string key, std::string message) const;
};

/// Reads a file and those that it extends, and checks syntax, keys and types. A file overrides the files that it
/// extends, and of these the later overrides the earlier. Plugin folders accumulate, parameters are overridden one by
/// one, any other key as a whole.
/// @throws InputError with file, line, column and key of each problem, also if a file extends itself.
[[nodiscard]] Configuration read_configuration(const std::filesystem::path& path);

/// Problems of the configuration with these plugins: unknown devices, probes and parameters, values of a wrong type or
/// out of range.
[[nodiscard]] std::vector<Problem> check_configuration(const Configuration& configuration,
                                                       std::span<const PluginDescription> plugins);

/// The parameters in arguments NAME=VALUE of a command-line option. A value is written as in a file; text needs no
/// quotes. `owner` is the id of what declares the parameters.
/// @throws InputError with what check_configuration says about such parameters, or if an argument is not of this form
/// or two set the same parameter.
[[nodiscard]] ParameterValues stated_parameters(const std::string& option, const std::string& owner,
                                                std::span<const ParameterDeclaration> declared,
                                                std::span<const std::string> arguments);
/// Overrides parameters of a device by such arguments. @throws InputError as `stated_parameters`.
void override_parameters(Configuration& configuration, const DeviceDescription& device, const std::string& option,
                         std::span<const std::string> arguments);

/// The value of every declared parameter: the one in `set` (may be null), or else the default. The configuration must
/// have passed `check_configuration`.
[[nodiscard]] ParameterValues effective_parameters(std::span<const ParameterDeclaration> declared,
                                                   const ParameterValues* set);
[[nodiscard]] ParameterValues probe_parameters(const Configuration& configuration, const ProbeDescription& probe);
[[nodiscard]] ParameterValues device_parameters(const Configuration& configuration, const DeviceDescription& device);

}  // namespace tomograph::host

#endif
