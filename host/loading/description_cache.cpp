#include "loading/description_cache.hpp"

#include <cstdlib>
#include <exception>
#include <fstream>

#include "tomograph/abi/version.h"
#include "tomograph/documents/atomic_file.hpp"
#include "version.hpp"

namespace tomograph::host {
namespace {

/// Identifies this program. A description of another version may lack fields or checks.
std::string made_by() {
  return std::string(tool_version) + " " + tool_revision + " ABI " + std::to_string(TOMOGRAPH_ABI_MAJOR) + "." +
         std::to_string(TOMOGRAPH_ABI_MINOR);
}

}  // namespace

std::filesystem::path DescriptionCache::file(const std::string& sha256) const { return *folder_ / (sha256 + ".json"); }

std::optional<PluginDescription> DescriptionCache::find(const std::string& sha256) const {
  if (!folder_) return std::nullopt;
  std::ifstream stream(file(sha256));
  if (!stream) return std::nullopt;
  try {
    const Json cached = Json::parse(stream);
    if (cached.at("made_by") != made_by()) return std::nullopt;
    return description_from_json(cached.at("plugin"));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

void DescriptionCache::keep(const PluginDescription& plugin) const {
  if (!folder_) return;
  try {
    std::filesystem::create_directories(*folder_);
    // A file that is lost with the power is written again.
    write_atomically(file(plugin.sha256), Json{{"made_by", made_by()}, {"plugin", to_json(plugin)}}.dump(),
                     Durable::no);
  } catch (const std::exception&) {
    return;
  }
}

std::optional<std::filesystem::path> default_cache_folder() {
  const char* cache = ::secure_getenv("XDG_CACHE_HOME");
  if (cache != nullptr && cache[0] == '/') return std::filesystem::path(cache) / "tomograph/descriptions";
  const char* home = ::secure_getenv("HOME");
  if (home != nullptr && home[0] == '/') return std::filesystem::path(home) / ".cache/tomograph/descriptions";
  return std::nullopt;
}

}  // namespace tomograph::host
