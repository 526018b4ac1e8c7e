#ifndef TOMOGRAPH_HOST_DOCUMENTS_WRITABLE_FILE_HPP
#define TOMOGRAPH_HOST_DOCUMENTS_WRITABLE_FILE_HPP

#include <filesystem>

namespace tomograph::host {

/// Refuses an output file that could not be written, before hours of measurement. Changes nothing.
/// @throws InputError
void require_writable(const std::filesystem::path& path);

}  // namespace tomograph::host

#endif
