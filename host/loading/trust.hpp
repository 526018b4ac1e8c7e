#ifndef TOMOGRAPH_HOST_LOADING_TRUST_HPP
#define TOMOGRAPH_HOST_LOADING_TRUST_HPP

#include <filesystem>
#include <optional>
#include <string>

namespace tomograph::host {

/// Why no code may be loaded from a file or folder, and how to fix that: others than its owner and root can change it,
/// or its owner is neither root nor the user. Nothing if it can be trusted.
[[nodiscard]] std::optional<std::string> distrust(const std::filesystem::path& path);

/// Why the path to `folder` (canonical) cannot be trusted, and how to fix that: someone could replace a folder above
/// it. Folders that also contain `program` are not checked, since whoever can replace them can replace the program.
[[nodiscard]] std::optional<std::string> distrust_way_to(const std::filesystem::path& folder,
                                                         const std::filesystem::path& program);

/// Whether this process has rights that its caller lacks (set-uid, set-gid, capabilities). Such a process loads only
/// installed plugins.
[[nodiscard]] bool has_borrowed_rights();

}  // namespace tomograph::host

#endif
