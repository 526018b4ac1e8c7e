#ifndef TOMOGRAPH_HOST_LOADING_DESCRIPTION_CACHE_HPP
#define TOMOGRAPH_HOST_LOADING_DESCRIPTION_CACHE_HPP

#include <filesystem>
#include <optional>
#include <string>

#include "loading/description.hpp"

namespace tomograph::host {

/// A cache of descriptions in the user's cache folder, by content hash. If it cannot be read or written, plugins are
/// described again; that is no error.
class DescriptionCache {
 public:
  /// Without a folder, nothing is found and nothing is kept.
  explicit DescriptionCache(std::optional<std::filesystem::path> folder) : folder_(std::move(folder)) {}

  [[nodiscard]] std::optional<PluginDescription> find(const std::string& sha256) const;
  void keep(const PluginDescription& plugin) const;

 private:
  [[nodiscard]] std::filesystem::path file(const std::string& sha256) const;

  std::optional<std::filesystem::path> folder_;
};

/// $XDG_CACHE_HOME/tomograph/descriptions, or ~/.cache/tomograph/descriptions; nothing if neither variable is set.
[[nodiscard]] std::optional<std::filesystem::path> default_cache_folder();

}  // namespace tomograph::host

#endif
