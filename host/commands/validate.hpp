#ifndef TOMOGRAPH_HOST_COMMANDS_VALIDATE_HPP
#define TOMOGRAPH_HOST_COMMANDS_VALIDATE_HPP

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "conformance/plugin_validator.hpp"

namespace CLI {
class App;
}

namespace tomograph::host {

/// What `validate` asks the rest of the host for: checks that need plugins, with these further folders searched
/// first. The first two throw InputError. An empty function leaves its check out.
struct ValidateServices {
  using Folders = std::vector<std::filesystem::path>;
  /// Reads a configuration as `run` would.
  std::function<void(const std::filesystem::path& file, const Folders& plugin_dirs)> check_configuration;
  /// Opens a device such as "sim:/tmp/my-gpu.toml" and closes it again.
  std::function<void(const std::string& device, const Folders& plugin_dirs)> try_open;
  /// Checks plugins, and runs their probes on this simulated GPU.
  std::function<PluginValidator(const std::string& device, const Folders& plugin_dirs)> plugin_validator;
};

/// Adds `tomograph validate`; see add_show_command.
void add_validate_command(CLI::App& app, std::function<int()>& selected, ValidateServices services);

}  // namespace tomograph::host

#endif
