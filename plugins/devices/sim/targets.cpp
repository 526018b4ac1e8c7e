#include "sim/targets.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <stdexcept>

namespace tomograph::sim {

std::filesystem::path shipped_folder() {
  Dl_info library{};
  if (dladdr(reinterpret_cast<const void*>(&shipped_folder), &library) == 0 || library.dli_fname == nullptr) {
    throw std::runtime_error("cannot find where the sim plugin lies");
  }
  return (std::filesystem::absolute(library.dli_fname).parent_path() / TOMOGRAPH_SIM_GPUS).lexically_normal();
}

std::vector<std::string> gpu_names(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem());
  }
  std::ranges::sort(names);
  return names;
}

std::filesystem::path description_file(std::string_view target, const std::filesystem::path& folder) {
  if (target.find('/') != std::string_view::npos || target.ends_with(".toml")) return target;
  const std::vector<std::string> names = gpu_names(folder);
  if (std::ranges::find(names, target) != names.end()) return folder / (std::string(target) + ".toml");
  // The host adds which targets there are.
  throw std::invalid_argument("there is no simulated GPU '" + std::string(target) + "' in " + folder.string() +
                              " (a file needs a '/' or ends in .toml)");
}

}  // namespace tomograph::sim
