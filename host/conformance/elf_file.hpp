#ifndef TOMOGRAPH_HOST_CONFORMANCE_ELF_FILE_HPP
#define TOMOGRAPH_HOST_CONFORMANCE_ELF_FILE_HPP

#include <filesystem>
#include <string>
#include <vector>

namespace tomograph::host {

/// What a shared library says about itself in its file.
struct ElfFile {
  std::vector<std::string> exports;    ///< names of the symbols that others see, sorted
  std::vector<std::string> libraries;  ///< those that are loaded with it (DT_NEEDED)
};

/// Reads the dynamic section of a 64-bit ELF file, running none of its code.
/// @throws std::runtime_error if the file cannot be read or contradicts itself.
[[nodiscard]] ElfFile read_elf_file(const std::filesystem::path& path);

}  // namespace tomograph::host

#endif
