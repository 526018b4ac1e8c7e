#ifndef TOMOGRAPH_HOST_LOADING_TRUST_HPP
#define TOMOGRAPH_HOST_LOADING_TRUST_HPP

#include <filesystem>
#include <optional>
#include <string>

namespace tomograph::host {

/// Why a file or folder must not be loaded code from, with the cure: someone other than its owner or root could
/// change it, or its owner is neither root nor the user. Nothing if it is fine.
[[nodiscard]] std::optional<std::string> distrust(const std::filesystem::path& path);

/// Why the way to `folder` (canonical) must not be trusted, with the cure: someone could put another folder in the
/// place of one above it. What `program` lies below as well is not looked at: who can exchange that can exchange the
/// program.
[[nodiscard]] std::optional<std::string> distrust_way_to(const std::filesystem::path& folder,
                                                         const std::filesystem::path& program);

/// Whether this process has rights that its caller has not (set-uid, set-gid, capabilities). Then plugins come from the
/// installation alone, whatever the caller says.
[[nodiscard]] bool has_borrowed_rights();

}  // namespace tomograph::host

#endif
