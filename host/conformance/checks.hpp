#ifndef TOMOGRAPH_HOST_CONFORMANCE_CHECKS_HPP
#define TOMOGRAPH_HOST_CONFORMANCE_CHECKS_HPP

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

/// What `tomograph validate PLUGIN.so` looks at: the rules of the boundary, each under a name of its own.
namespace tomograph::host {

enum class CheckStatus { passed, warning, failed, crashed, timed_out, skipped };

/// "passed", "warning", "failed", "crashed", "timed-out", "skipped".
[[nodiscard]] std::string_view to_string(CheckStatus status);
/// @throws std::invalid_argument if it names none.
[[nodiscard]] CheckStatus check_status(std::string_view name);

/// Whether a plugin with such a result is not valid.
[[nodiscard]] bool is_bad(CheckStatus status);

/// What a check came to.
struct CheckResult {
  CheckStatus status = CheckStatus::passed;
  std::string explanation;  ///< empty where it passed and there is nothing to say
};

/// Looks at one thing about a library: at its file, at what happens while it is loaded, or at its descriptors.
struct LibraryCheck {
  std::string_view name;
  std::string_view description;
  CheckResult (*perform)(const std::filesystem::path& library);
};

/// All of them, in the order in which they are made. Each runs code of the library in its own process, so each needs
/// a process for itself.
[[nodiscard]] std::span<const LibraryCheck> library_checks();

}  // namespace tomograph::host

#endif
