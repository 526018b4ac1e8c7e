#ifndef TOMOGRAPH_HOST_CONFORMANCE_CHECKS_HPP
#define TOMOGRAPH_HOST_CONFORMANCE_CHECKS_HPP

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "process/check_result.hpp"

/// The checks of `tomograph validate PLUGIN.so` that look at the library alone.
namespace tomograph::host {

/// A check of a library's file, of what happens while it is loaded, or of its descriptors.
struct LibraryCheck {
  std::string_view name;
  std::string_view description;
  CheckResult (*perform)(const std::filesystem::path& library);
  bool watches_loading = false;  ///< needs a process in which the library was not loaded before
};

/// All checks in order. Most run code of the library in the calling process.
[[nodiscard]] std::span<const LibraryCheck> library_checks();

/// Performs the check called `name`. @throws std::invalid_argument if there is none.
[[nodiscard]] CheckResult perform_check(const std::string& name, const std::filesystem::path& library);

}  // namespace tomograph::host

#endif
