#ifndef TOMOGRAPH_HOST_DOCUMENTS_WRITABLE_FILE_HPP
#define TOMOGRAPH_HOST_DOCUMENTS_WRITABLE_FILE_HPP

#include <filesystem>
#include <string>
#include <vector>

namespace tomograph::host {

/// Refuses an output file that could not be written, before hours of measurement. Changes nothing.
/// @throws InputError
void require_writable(const std::filesystem::path& path);

/// A file of a command, with the option or argument that names it, e.g. "--output".
struct NamedFile {
  std::string name;
  std::filesystem::path path;
};

/// Refuses outputs that would overwrite a file that the command reads, or each other. Passes over empty paths, devices
/// such as /dev/null and inputs that are not there. Changes nothing.
/// @throws InputError
void require_separate(const std::vector<NamedFile>& outputs, const std::vector<NamedFile>& inputs);

/// Whether both paths lead to one file. It need not exist.
[[nodiscard]] bool is_same_file(const std::filesystem::path& one, const std::filesystem::path& other);

}  // namespace tomograph::host

#endif
