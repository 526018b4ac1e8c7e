#ifndef TOMOGRAPH_HOST_LOADING_CATALOGUE_HPP
#define TOMOGRAPH_HOST_LOADING_CATALOGUE_HPP

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "loading/description.hpp"

namespace tomograph::host {

/// A library that is not used, with the reason.
struct Refusal {
  std::filesystem::path path;
  std::string reason;
};

/// The plugins that can be used, ordered by id, and the libraries that cannot.
struct Catalogue {
  std::vector<PluginDescription> plugins;
  std::vector<Refusal> refused;
};

/// A folder that is searched for plugins.
struct PluginFolder {
  std::filesystem::path path;
  bool is_exempt = false;  ///< the user trusts it, whoever can write there
};

/// A library that may be a plugin.
struct PluginFile {
  std::filesystem::path path;
  bool is_exempt = false;  ///< as its folder
};

/// The folders in the environment variable TOMOGRAPH_PLUGIN_PATH, separated by ':'. Relative and empty ones are
/// ignored: plugins are never searched relative to the current directory. None for a process with borrowed rights
/// (trust.hpp).
[[nodiscard]] std::vector<std::filesystem::path> environment_plugin_dirs();

/// The folder of the plugins that are installed with this program.
[[nodiscard]] std::filesystem::path installed_plugin_dir();
/// The same as an element, or none if there is no such folder. One out of reach is an element: plugin_files() says why
/// it cannot be read.
[[nodiscard]] std::vector<PluginFolder> installed_plugin_folders();

/// The libraries in these folders as canonical paths, sorted by name within each folder. A library replaces those with
/// the same file name in later folders. @throws InputError if a folder is missing, cannot be read or cannot be trusted.
[[nodiscard]] std::vector<PluginFile> plugin_files(std::span<const PluginFolder> folders);

/// How plugin descriptions are obtained.
struct DescribeSettings {
  std::filesystem::path program;               ///< started as a worker
  std::optional<std::filesystem::path> cache;  ///< folder of the cached descriptions
  double time_limit = 10;                      ///< seconds for one library; it takes 0.01 s, on a busy machine 1 s
  std::filesystem::path installation = {};     ///< folder whose plugins come first if ids clash
};

/// Describes each library, from the cache or in a few worker processes at the same time. A library that fails there is
/// tried once more in its own process. Refused are libraries that cannot be trusted, loaded or described, and libraries
/// with the id of a plugin, probe, device, exporter or executor that an earlier one has. Installed libraries come
/// first, then the order of `files`. A refused library does not affect the others.
[[nodiscard]] Catalogue catalogue(std::span<const PluginFile> files, const DescribeSettings& settings);

}  // namespace tomograph::host

#endif
