#ifndef TOMOGRAPH_FILE_CONTENT_HPP
#define TOMOGRAPH_FILE_CONTENT_HPP

#include <filesystem>
#include <string>

namespace tomograph {

/// All bytes of a file or a pipe.
/// @throws std::runtime_error "cannot be read: <reason>", also for a folder.
[[nodiscard]] std::string file_content(const std::filesystem::path& path);

}  // namespace tomograph

#endif
