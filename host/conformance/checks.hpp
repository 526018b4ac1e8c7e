#ifndef TOMOGRAPH_HOST_CONFORMANCE_CHECKS_HPP
#define TOMOGRAPH_HOST_CONFORMANCE_CHECKS_HPP

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "process/check_result.hpp"

/// What `tomograph validate PLUGIN.so` looks at: the rules of the boundary, each under a name of its own.
namespace tomograph::host {

/// Looks at one thing about a library: at its file, at what happens while it is loaded, or at its descriptors.
struct LibraryCheck {
  std::string_view name;
  std::string_view description;
  CheckResult (*perform)(const std::filesystem::path& library);
};

/// All of them, in the order in which they are made. Each runs code of the library in its own process, so each needs
/// a process for itself.
[[nodiscard]] std::span<const LibraryCheck> library_checks();

/// Makes the check called `name`. @throws std::invalid_argument if there is none.
[[nodiscard]] CheckResult perform_check(const std::string& name, const std::filesystem::path& library);

}  // namespace tomograph::host

#endif
