#ifndef TOMOGRAPH_HOST_TOPOLOGY_OUTCOME_HPP
#define TOMOGRAPH_HOST_TOPOLOGY_OUTCOME_HPP

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace tomograph::host {

/// How the question for a fact, or the run of a probe, ended.
enum class OutcomeStatus { measured, skipped, inconclusive, failed, crashed, timed_out, blocked };

/// Why a question was skipped.
enum class SkipCategory { device, configuration, resource, permission, interrupted };

/// Those that a plugin may give.
inline constexpr std::array skip_categories_of_plugins{SkipCategory::device, SkipCategory::configuration,
                                                       SkipCategory::resource, SkipCategory::permission};

/// The name in a topology file: "measured", ..., "timed-out", "blocked".
[[nodiscard]] std::string_view to_string(OutcomeStatus status);
/// The name in a topology file: "device", ..., "interrupted".
[[nodiscard]] std::string_view to_string(SkipCategory category);

/// @throws std::invalid_argument if `name` is no status.
[[nodiscard]] OutcomeStatus outcome_status(std::string_view name);
/// @throws std::invalid_argument if `name` is no category.
[[nodiscard]] SkipCategory skip_category(std::string_view name);

/// How the question for one fact ended.
struct Outcome {
  OutcomeStatus status = OutcomeStatus::measured;
  std::string reason = {};                    ///< empty for `measured`
  std::optional<SkipCategory> category = {};  ///< for `skipped`
  std::string probe = {};                     ///< id of the probe or model that was to answer
};

/// Whether the device lacks what was asked about.
[[nodiscard]] bool is_absent_on_device(const Outcome& outcome);

}  // namespace tomograph::host

#endif
