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

/// Checks of `validate` that need plugins. They search the given folders first. The first two throw InputError. If a
/// function is empty, its check is left out.
struct ValidateServices {
  using Folders = std::vector<std::filesystem::path>;
  /// Reads a configuration as `run` does.
  std::function<void(const std::filesystem::path& file, const Folders& plugin_dirs)> check_configuration;
  /// Opens and closes a device such as "sim:/tmp/my-gpu.toml".
  std::function<void(const std::string& device, const Folders& plugin_dirs)> try_open;
  /// Returns a validator that runs the probes of plugins on this simulated GPU.
  std::function<PluginValidator(const std::string& device, const Folders& plugin_dirs)> plugin_validator;
};

/// Adds `tomograph validate`; see add_show_command.
void add_validate_command(CLI::App& app, std::function<int()>& selected, ValidateServices services);

}  // namespace tomograph::host

#endif
