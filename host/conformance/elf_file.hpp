#ifndef TOMOGRAPH_HOST_CONFORMANCE_ELF_FILE_HPP
#define TOMOGRAPH_HOST_CONFORMANCE_ELF_FILE_HPP

#include <filesystem>
#include <string>
#include <vector>

namespace tomograph::host {

/// Symbols and dependencies of a shared library.
struct ElfFile {
  std::vector<std::string> exports;    ///< names of the visible symbols, sorted
  std::vector<std::string> libraries;  ///< libraries that it is linked with (DT_NEEDED)
};

/// Reads the dynamic section of a 64-bit ELF file. Runs none of its code.
/// @throws std::runtime_error if the file cannot be read or is broken.
[[nodiscard]] ElfFile read_elf_file(const std::filesystem::path& path);

}  // namespace tomograph::host

#endif
