#ifndef TOMOGRAPH_HOST_LOADING_CATALOGUE_HPP
#define TOMOGRAPH_HOST_LOADING_CATALOGUE_HPP

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "loading/description.hpp"

namespace tomograph::host {

/// A library that is not used, and why.
struct Refusal {
  std::filesystem::path path;
  std::string reason;
};

/// Everything that the plugins on this machine offer, by plugin id.
struct Catalogue {
  std::vector<PluginDescription> plugins;
  std::vector<Refusal> refused;
};

/// A folder that is searched for plugins.
struct PluginFolder {
  std::filesystem::path path;
  bool is_exempt = false;  ///< the user vouches for it, whoever can write there
};

/// A library that may be a plugin, with what holds for its folder.
struct PluginFile {
  std::filesystem::path path;
  bool is_exempt = false;
};

/// The folders of the environment variable TOMOGRAPH_PLUGIN_PATH, joined by ':'. Relative and empty ones are left
/// out: plugins are never looked for relative to the current directory. A process with borrowed rights has none.
[[nodiscard]] std::vector<std::filesystem::path> environment_plugin_dirs();

/// Folder of the plugins that are installed with this program.
[[nodiscard]] std::filesystem::path installed_plugin_dir();

/// The libraries of these folders in order, each folder by name, as canonical paths. A file whose name is in an
/// earlier folder too is left out: the earlier one replaces it.
/// @throws InputError if a folder is missing, cannot be read or is not to be trusted.
[[nodiscard]] std::vector<PluginFile> plugin_files(std::span<const PluginFolder> folders);

/// How descriptions are come by.
struct DescribeSettings {
  std::filesystem::path program;               ///< what is started as a worker
  std::optional<std::filesystem::path> cache;  ///< folder of the cached descriptions
  double time_limit = 5;                       ///< seconds for one library
  std::filesystem::path installation = {};     ///< folder whose plugins keep their names, whoever else claims them
};

/// Describes each library: from the cache, or in one of a few processes, at the same time; what fails there is asked
/// again in a process of its own. Libraries that cannot be trusted, loaded or described are refused, the others are not
/// touched by that. So is one that claims the id of a plugin, probe, device or executor that another has: installed
/// ones come first, then the order of `files`.
[[nodiscard]] Catalogue catalogue(std::span<const PluginFile> files, const DescribeSettings& settings);

}  // namespace tomograph::host

#endif
