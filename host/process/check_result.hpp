#ifndef TOMOGRAPH_HOST_PROCESS_CHECK_RESULT_HPP
#define TOMOGRAPH_HOST_PROCESS_CHECK_RESULT_HPP

#include <string>
#include <string_view>

namespace tomograph::host {

enum class CheckStatus { passed, warning, failed, crashed, timed_out, skipped };

/// "passed", "warning", "failed", "crashed", "timed-out", "skipped".
[[nodiscard]] std::string_view to_string(CheckStatus status);

/// Whether a plugin with such a result is not valid.
[[nodiscard]] bool is_bad(CheckStatus status);

/// The result of one check of a plugin, which a worker sends to the host.
struct CheckResult {
  CheckStatus status = CheckStatus::passed;
  std::string explanation;  ///< empty where it passed and there is nothing to say
};

}  // namespace tomograph::host

#endif
