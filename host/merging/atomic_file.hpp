#ifndef TOMOGRAPH_HOST_MERGING_ATOMIC_FILE_HPP
#define TOMOGRAPH_HOST_MERGING_ATOMIC_FILE_HPP

#include <filesystem>
#include <string_view>

namespace tomograph::host {

/// Whether a file is to outlive a loss of power right after it was written, which takes a disk milliseconds.
enum class Durable { no, yes };

/// Replaces or creates the file at once: a temporary file beside it, flushed to disk if it is to be durable, then
/// renamed. Whatever goes wrong, the old file is intact and nothing is left over.
/// @throws std::runtime_error that names the file and says why.
void write_atomically(const std::filesystem::path& path, std::string_view content, Durable durable = Durable::yes);

/// Throws what `write_atomically` would throw for want of a folder or of permission, touching nothing: to be
/// asked before hours of measurement. @throws InputError
void require_writable(const std::filesystem::path& path);

}  // namespace tomograph::host

#endif
