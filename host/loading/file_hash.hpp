#ifndef TOMOGRAPH_HOST_LOADING_FILE_HASH_HPP
#define TOMOGRAPH_HOST_LOADING_FILE_HASH_HPP

#include <filesystem>
#include <string>
#include <string_view>

namespace tomograph::host {

/// SHA-256 of a file's content in lower-case hexadecimal. @throws std::runtime_error if it cannot be read.
[[nodiscard]] std::string sha256_of_file(const std::filesystem::path& path);
/// The same of a text. @throws std::runtime_error if OpenSSL has no SHA-256.
[[nodiscard]] std::string sha256_of_text(std::string_view text);

}  // namespace tomograph::host

#endif
