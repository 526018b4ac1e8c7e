#include "topology/outcome.hpp"

#include "documents/enum_names.hpp"

namespace tomograph::host {
namespace {

constexpr EnumNames<OutcomeStatus, 7> statuses{{{OutcomeStatus::measured, "measured"},
                                                {OutcomeStatus::skipped, "skipped"},
                                                {OutcomeStatus::inconclusive, "inconclusive"},
                                                {OutcomeStatus::failed, "failed"},
                                                {OutcomeStatus::crashed, "crashed"},
                                                {OutcomeStatus::timed_out, "timed-out"},
                                                {OutcomeStatus::blocked, "blocked"}}};
constexpr EnumNames<SkipCategory, 5> categories{{{SkipCategory::device, "device"},
                                                 {SkipCategory::configuration, "configuration"},
                                                 {SkipCategory::resource, "resource"},
                                                 {SkipCategory::permission, "permission"},
                                                 {SkipCategory::interrupted, "interrupted"}}};

}  // namespace

std::string_view to_string(OutcomeStatus status) { return name_in(statuses, status); }
std::string_view to_string(SkipCategory category) { return name_in(categories, category); }
OutcomeStatus outcome_status(std::string_view name) { return value_in(statuses, name); }
SkipCategory skip_category(std::string_view name) { return value_in(categories, name); }

bool is_absent_on_device(const Outcome& outcome) {
  return outcome.status == OutcomeStatus::skipped && outcome.category == SkipCategory::device;
}

}  // namespace tomograph::host
