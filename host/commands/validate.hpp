#ifndef TOMOGRAPH_HOST_COMMANDS_VALIDATE_HPP
#define TOMOGRAPH_HOST_COMMANDS_VALIDATE_HPP

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "loading/description.hpp"

namespace CLI {
class App;
}

namespace tomograph::host {

/// What `validate` asks the rest of the host for. An empty function leaves its check out.
struct ValidateServices {
  /// Descriptions of all plugins, those of these further folders included (searched first).
  std::function<std::vector<PluginDescription>(const std::vector<std::filesystem::path>& plugin_dirs)> describe;
  /// Opens a device such as "sim:/tmp/my-gpu.toml" and closes it again. @throws InputError with what the device
  /// has against its target.
  std::function<void(const std::string& device, const std::vector<std::filesystem::path>& plugin_dirs)> try_open;
};

/// Adds `tomograph validate`; see add_show_command.
void add_validate_command(CLI::App& app, std::function<int()>& selected, ValidateServices services);

}  // namespace tomograph::host

#endif
