#include "process/check_result.hpp"

#include <array>
#include <stdexcept>
#include <utility>

namespace tomograph::host {
namespace {

constexpr std::array<std::pair<CheckStatus, std::string_view>, 6> statuses{{{CheckStatus::passed, "passed"},
                                                                            {CheckStatus::warning, "warning"},
                                                                            {CheckStatus::failed, "failed"},
                                                                            {CheckStatus::crashed, "crashed"},
                                                                            {CheckStatus::timed_out, "timed-out"},
                                                                            {CheckStatus::skipped, "skipped"}}};

}  // namespace

std::string_view to_string(CheckStatus status) { return statuses.at(static_cast<std::size_t>(status)).second; }

CheckStatus check_status(std::string_view name) {
  for (const auto& [status, text] : statuses) {
    if (text == name) return status;
  }
  throw std::invalid_argument("no check ends as " + std::string(name));
}

bool is_bad(CheckStatus status) {
  return status == CheckStatus::failed || status == CheckStatus::crashed || status == CheckStatus::timed_out;
}

}  // namespace tomograph::host
