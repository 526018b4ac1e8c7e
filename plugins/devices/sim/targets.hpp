#ifndef TOMOGRAPH_SIM_TARGETS_HPP
#define TOMOGRAPH_SIM_TARGETS_HPP

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tomograph::sim {

/// The folder of the shipped descriptions, found relative to this library.
[[nodiscard]] std::filesystem::path shipped_folder();

/// Names of the GPUs in `folder`, sorted: the names of its TOML files without extension.
[[nodiscard]] std::vector<std::string> gpu_names(const std::filesystem::path& folder);

/// The file of a target: `target` itself if it has a '/' or ends in ".toml", else the GPU of that name in `folder`.
/// @throws std::invalid_argument if there is no such GPU.
[[nodiscard]] std::filesystem::path description_file(std::string_view target, const std::filesystem::path& folder);

}  // namespace tomograph::sim

#endif
