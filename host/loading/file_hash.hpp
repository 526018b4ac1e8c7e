#ifndef TOMOGRAPH_HOST_LOADING_FILE_HASH_HPP
#define TOMOGRAPH_HOST_LOADING_FILE_HASH_HPP

#include <filesystem>
#include <string>

namespace tomograph::host {

/// SHA-256 of a file's content in lower-case hexadecimal. @throws std::runtime_error if it cannot be read.
[[nodiscard]] std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace tomograph::host

#endif
