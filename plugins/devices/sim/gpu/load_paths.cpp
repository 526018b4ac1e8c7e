#include "sim/gpu/load_paths.hpp"

#include <algorithm>
#include <utility>

#include "sim/gpu/section.hpp"

namespace tomograph::sim {

namespace {

using Vocabulary = std::vector<std::pair<std::string, chase::Path>>;

const Vocabulary& vocabulary() {
  using chase::Path;
  static const Vocabulary words{{"global.ca", Path::global_ca},   {"global.cg", Path::global_cg},
                                {"global.nc", Path::global_nc},   {"texture", Path::texture},
                                {"texture_2d", Path::texture_2d}, {"constant", Path::constant},
                                {"shared", Path::shared},         {"instruction", Path::instruction}};
  return words;
}

/// Refuses a path that the GPU lacks, but that a key of `section` describes.
void refuse_described(const Section& description, const std::string& table, const Section& section,
                      const LoadPaths& paths, const Vocabulary& keys) {
  for (const auto& [key, path] : keys) {
    if (paths.has(path) || !section.has(key.c_str())) continue;
    std::string why = "names ";
    why.append(name_of(path)).append(", but there is ").append(table).append(key);
    description.refuse("lacks", why);
  }
}

}  // namespace

std::string name_of(chase::Path path) {
  return std::ranges::find(vocabulary(), path, &Vocabulary::value_type::second)->first;
}

bool LoadPaths::has(chase::Path path) const { return std::ranges::find(lacks, path) == lacks.end(); }

std::int64_t LoadPaths::delay(chase::Path path) const {
  const auto found = path_delay.find(path);
  return found == path_delay.end() ? 0 : found->second;
}

Broken violation(const LoadPaths& paths) {
  for (const auto& [path, delay] : paths.path_delay) {
    if (!paths.has(path)) return Violation{"path_delay." + name_of(path), "is about a path that the GPU lacks"};
  }
  return std::nullopt;
}

std::vector<chase::Path> read_paths(const Section& section, const char* key) {
  std::vector<chase::Path> paths;
  for (const std::string& name : section.texts(key)) paths.push_back(meaning(name, vocabulary()));
  return paths;
}

LoadPaths read_load_paths(const Section& description) {
  LoadPaths paths;
  if (description.has("lacks")) paths.lacks = read_paths(description, "lacks");
  using chase::Path;
  refuse_described(
      description, "", description, paths,
      {{"shared_memory", Path::shared}, {"constant_memory", Path::constant}, {"texture_memory", Path::texture_2d}});
  if (const auto bandwidth = description.optional_section("bandwidth")) {
    refuse_described(description, "bandwidth.", *bandwidth, paths,
                     {{"read_only", Path::global_nc}, {"texture", Path::texture}, {"constant", Path::constant}});
  }
  if (const auto delays = description.optional_section("path_delay")) {
    for (const std::string& name : delays->keys()) {
      paths.path_delay[meaning(name, vocabulary())] = delays->integer(name.c_str());
    }
  }
  return paths;
}

}  // namespace tomograph::sim
