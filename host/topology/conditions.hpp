#ifndef TOMOGRAPH_HOST_TOPOLOGY_CONDITIONS_HPP
#define TOMOGRAPH_HOST_TOPOLOGY_CONDITIONS_HPP

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "tomograph/abi/conditions.h"
#include "topology/evidence.hpp"
#include "topology/topology.hpp"

/// Under which conditions probes ran: what a device read of itself ten times a second. Pure functions.
namespace tomograph::host {

/// A reading in which nothing is known yet.
[[nodiscard]] tomograph_reading unknown_reading();

struct ConditionSample {
  double time = 0;  ///< seconds
  tomograph_reading reading = unknown_reading();
};

/// When a probe ran, and what other programs disturbed of it.
struct ProbeSpan {
  std::string probe;
  double begin = 0;  ///< seconds, on the clock of the samples
  double end = 0;
  Disturbances disturbances = {};
};

/// A number of a reading.
struct ConditionQuantity {
  const char* name;  ///< in provenance
  const char* unit;
  const char* column;  ///< in evidence
  double tomograph_reading::*value;
};
[[nodiscard]] std::span<const ConditionQuantity> condition_quantities();

/// Names of the reasons in a set: "idle", "setting", "power-cap", "thermal", "power-brake", "hardware", "sync-boost".
/// None if the set is unknown.
[[nodiscard]] std::vector<std::string> throttle_names(tomograph_throttle_reasons reasons);

/// Whether two readings show SM clocks that differ by more than rounding. A steady clock between two of the clocks that
/// a device can have is told as either of them, so it may differ by one step; half a step more allows for steps that
/// are rounded to whole MHz. If the step is unknown, one hundredth is allowed, half of what repeated times may differ
/// by.
[[nodiscard]] bool is_clock_step(const tomograph_reading& a, const tomograph_reading& b);

/// The samples that were taken while a probe ran, in their order.
[[nodiscard]] std::vector<ConditionSample> samples_in(std::span<const ConditionSample> samples,
                                                      std::span<const ProbeSpan> spans);

/// Columns `time_s`, those of all quantities that the device told, and `throttle_reasons`.
[[nodiscard]] Curve condition_curve(std::span<const ConditionSample> samples);

/// {"samples": n, quantity: {"least": , "median": , "most": , "unit": }, "throttle_reasons": [names]}. Without what the
/// device did not tell.
[[nodiscard]] Json condition_summary(std::span<const ConditionSample> samples);

/// What happened to the device while probes ran. `samples` are in the order of time. Each finding has "kind" and
/// "probes", the ids of those that ran meanwhile:
/// - "clock-step": the SM clock changed, "steps" times, between "low" and "high" Hz. Not counted are readings of an
///   idle device and the rise with which a device wakes at the beginning.
/// - "throttled": it was slowed down for "reasons" other than idleness and settings.
/// - "neighbour": other programs used it. At most "other_processes" were there; "repeated" experiments were executed
///   again, "given_up" of them without success.
[[nodiscard]] Json condition_findings(std::span<const ConditionSample> samples, std::span<const ProbeSpan> spans);

}  // namespace tomograph::host

#endif
