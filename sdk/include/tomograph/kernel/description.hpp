#ifndef TOMOGRAPH_KERNEL_DESCRIPTION_HPP
#define TOMOGRAPH_KERNEL_DESCRIPTION_HPP

#include <filesystem>
#include <string>
#include <string_view>

#include "tomograph/kernel.hpp"

namespace tomograph::kernel {

/// A kernel with its name.
struct Description {
  std::string name;
  Kernel kernel;
};

/// The kernel that a TOML text describes, as schemas/kernel.schema.json says. `file` is the name that errors give it.
/// @throws InputError with file, line and key if the text breaks the schema or a rule of abi/kernel.h.
[[nodiscard]] Description parse_description(std::string_view text, const std::filesystem::path& file);

/// The kernel that a file describes. @throws InputError, also if the file cannot be read.
[[nodiscard]] Description read_description(const std::filesystem::path& file);

}  // namespace tomograph::kernel

#endif
