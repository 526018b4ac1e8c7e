#include "exporting/document_names.hpp"

#include <algorithm>
#include <cstddef>

namespace tomograph::host {
namespace {

namespace fs = std::filesystem;

/// The last `count` parts of a path, or all.
fs::path ending(const fs::path& file, std::size_t count) {
  const std::vector<fs::path> parts(file.begin(), file.end());
  fs::path end;
  for (std::size_t i = parts.size() - std::min(count, parts.size()); i < parts.size(); ++i) end /= parts[i];
  return end;
}

std::string name_among(const std::vector<fs::path>& files, const fs::path& file) {
  for (std::size_t count = 1;; ++count) {
    const fs::path name = ending(file, count);
    const auto is_mistaken = [&](const fs::path& other) { return other != file && ending(other, count) == name; };
    if (std::ranges::none_of(files, is_mistaken)) return name.string();
  }
}

}  // namespace

std::vector<std::string> document_names(const std::vector<fs::path>& files) {
  std::vector<fs::path> places;
  for (const fs::path& file : files) places.push_back(fs::absolute(file).lexically_normal());
  std::vector<std::string> names;
  for (const fs::path& place : places) names.push_back(name_among(places, place));
  return names;
}

}  // namespace tomograph::host
