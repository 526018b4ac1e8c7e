#ifndef TOMOGRAPH_KERNEL_PROFILE_DOCUMENT_HPP
#define TOMOGRAPH_KERNEL_PROFILE_DOCUMENT_HPP

#include <filesystem>
#include <string_view>

#include "tomograph/kernel/profile.hpp"

namespace tomograph::kernel {

/// Whether a TOML text is a profile rather than a kernel description: it has intervals. False for text that is no TOML.
[[nodiscard]] bool is_profile(std::string_view text);

/// The profile in a TOML text, as schemas/profile.schema.json says. `file` is the name that errors give it.
/// @throws InputError with file, line and key if the text breaks the schema or a rule of `violation`.
[[nodiscard]] Profile parse_profile(std::string_view text, const std::filesystem::path& file);

}  // namespace tomograph::kernel

#endif
