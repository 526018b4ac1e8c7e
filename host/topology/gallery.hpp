#ifndef TOMOGRAPH_HOST_TOPOLOGY_GALLERY_HPP
#define TOMOGRAPH_HOST_TOPOLOGY_GALLERY_HPP

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// Topologies of real GPUs that are installed with this program.
namespace tomograph::host {

/// The names of all entries, sorted: "nvidia-h200". Empty if none are installed.
[[nodiscard]] std::vector<std::string> gallery_names();

/// The name of the entry for a GPU: "NVIDIA H100 80GB HBM3" becomes "nvidia-h100-80gb-hbm3".
[[nodiscard]] std::string gallery_name(std::string_view device);

/// The file of the entry NAME for "gallery:NAME", any other path as it is.
/// @throws InputError with the nearest name if there is no such entry.
[[nodiscard]] std::filesystem::path out_of_gallery(const std::filesystem::path& path);

}  // namespace tomograph::host

#endif
