#include "topology/gallery.hpp"

#include <algorithm>
#include <cctype>
#include <system_error>

#include "tomograph/documents/input_error.hpp"
#include "tomograph/documents/nearest_name.hpp"
#include "version.hpp"

namespace tomograph::host {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view scheme = "gallery:";
constexpr const char* suffix = ".toml";

fs::path gallery_folder() {
  return (fs::read_symlink("/proc/self/exe").parent_path() / data_from_executable / "gallery").lexically_normal();
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "; there are " : ", ") + name;
  return text.empty() ? "; none is installed" : text;
}

}  // namespace

std::vector<std::string> gallery_names() {
  std::vector<std::string> names;
  std::error_code is_missing;
  for (const fs::directory_entry& entry : fs::directory_iterator(gallery_folder(), is_missing)) {
    if (entry.path().extension() == suffix) names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

std::string gallery_name(std::string_view device) {
  std::string name;
  for (const char c : device) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  return name.ends_with('-') ? name.substr(0, name.size() - 1) : name;
}

fs::path out_of_gallery(const fs::path& path) {
  const std::string text = path.string();
  if (!text.starts_with(scheme)) return path;
  const std::string name = text.substr(scheme.size());
  const std::vector<std::string> names = gallery_names();
  if (std::ranges::find(names, name) != names.end()) return gallery_folder() / (name + suffix);
  const std::string nearest = suggestion(name, names);
  throw InputError("there is no '" + name + "' in the gallery" + (nearest.empty() ? listed(names) : nearest));
}

}  // namespace tomograph::host
