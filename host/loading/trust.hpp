#ifndef TOMOGRAPH_HOST_LOADING_TRUST_HPP
#define TOMOGRAPH_HOST_LOADING_TRUST_HPP

#include <filesystem>
#include <optional>
#include <string>

namespace tomograph::host {

/// Why a file or folder must not be loaded code from, with the cure: someone other than its owner or root could
/// change it, or its owner is neither root nor the user. Nothing if it is fine.
[[nodiscard]] std::optional<std::string> distrust(const std::filesystem::path& path);

}  // namespace tomograph::host

#endif
