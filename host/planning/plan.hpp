#ifndef TOMOGRAPH_HOST_PLANNING_PLAN_HPP
#define TOMOGRAPH_HOST_PLANNING_PLAN_HPP

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "loading/description.hpp"

namespace tomograph::host {

/// What to measure. Patterns are globs over probe ids and fact keys (patterns.hpp).
struct PlanRequest {
  std::vector<std::string> only;     ///< from the command line; empty: `include` counts
  std::vector<std::string> include;  ///< from the configuration; empty: everything
  std::vector<std::string> exclude;  ///< a probe is left out by its id, or if they cover all of its facts
  /// Facts that are already known. They are measured again only if `only` or `include` asks for them.
  std::set<std::string> known;
  /// Facts whose outcome is final, with or without a value. They are never measured again.
  std::set<std::string> settled;
  /// The published method whose probes replace those that provide the same facts; empty: none.
  std::string method{};
  /// Probes that are expected to take longer are excluded.
  std::optional<double> max_probe_seconds{};
};

/// A fact that a planned probe needs, and its origin.
struct PlannedNeed {
  enum class Origin { probe, known, device, missing };
  std::string key;
  bool optional = false;
  Origin origin = Origin::missing;
  std::string provider;  ///< id of the probe, for Origin::probe
};

struct PlannedProbe {
  const ProbeDescription* probe = nullptr;
  const PluginDescription* plugin = nullptr;
  /// Why it is in the plan: "asked for by 'l1_data.*'" or "provides l1_data.line_size for data-cache/l1.sets".
  std::vector<std::string> reasons;
  std::vector<PlannedNeed> needs;
};

/// A probe that was asked for but is not in the plan.
struct LeftOut {
  enum class Cause {
    excluded,  ///< the user excluded it or a probe whose facts it needs
    faulty,    ///< it needs a fact that cannot be measured before its own
    blocked    ///< no probe provides a fact that it needs, or only one that is left out as well
  };
  const ProbeDescription* probe = nullptr;
  Cause cause = Cause::excluded;
  std::string reason;
};

struct Plan {
  std::vector<PlannedProbe> probes;  ///< in the order of the run
  std::vector<LeftOut> left_out;
  /// Patterns of `exclude` that leave out no probe, since each probe with such a fact measures another one, too.
  std::vector<std::string> warnings;

  [[nodiscard]] double expected_seconds() const;
};

/// Selects the probes to run and orders them: providers before the probes that need their facts, otherwise by id. The
/// providers of optional needs run as well, so that a fact that is asked for alone is what a whole run says. An
/// optional fact with several providers stays unknown, unless one of them was asked for. The result does not depend on
/// the order of `plugins`, which must outlive it. Probes in a cycle of needs, and probes that need a fact without a
/// provider, are left out; the others still run.
/// @throws InputError for patterns that match nothing, unknown methods, and facts with more than one provider.
[[nodiscard]] Plan make_plan(std::span<const PluginDescription> plugins, const PlanRequest& request);

[[nodiscard]] Json to_json(const Plan& plan);
/// A numbered list with reasons, needs and times, for people.
[[nodiscard]] std::string to_text(const Plan& plan);

}  // namespace tomograph::host

#endif
