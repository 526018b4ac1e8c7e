#include "process/check_result.hpp"

#include "documents/enum_names.hpp"

namespace tomograph::host {
namespace {

constexpr EnumNames<CheckStatus, 6> statuses{{{CheckStatus::passed, "passed"},
                                              {CheckStatus::warning, "warning"},
                                              {CheckStatus::failed, "failed"},
                                              {CheckStatus::crashed, "crashed"},
                                              {CheckStatus::timed_out, "timed-out"},
                                              {CheckStatus::skipped, "skipped"}}};

}  // namespace

std::string_view to_string(CheckStatus status) { return name_in(statuses, status); }

bool is_bad(CheckStatus status) {
  return status == CheckStatus::failed || status == CheckStatus::crashed || status == CheckStatus::timed_out;
}

}  // namespace tomograph::host
