#ifndef TOMOGRAPH_HOST_LOADING_DESCRIPTION_CACHE_HPP
#define TOMOGRAPH_HOST_LOADING_DESCRIPTION_CACHE_HPP

#include <filesystem>
#include <optional>
#include <string>

#include "loading/description.hpp"

namespace tomograph::host {

/// Descriptions by content hash, in files of the user's cache folder. A cache that cannot be read or written is
/// no error: plugins are then described anew.
class DescriptionCache {
 public:
  /// No folder: nothing is found and nothing kept.
  explicit DescriptionCache(std::optional<std::filesystem::path> folder) : folder_(std::move(folder)) {}

  [[nodiscard]] std::optional<PluginDescription> find(const std::string& sha256) const;
  void keep(const PluginDescription& plugin) const;

 private:
  [[nodiscard]] std::filesystem::path file(const std::string& sha256) const;

  std::optional<std::filesystem::path> folder_;
};

/// $XDG_CACHE_HOME/tomograph/descriptions, or the same below ~/.cache; nothing where neither is set.
[[nodiscard]] std::optional<std::filesystem::path> default_cache_folder();

}  // namespace tomograph::host

#endif
