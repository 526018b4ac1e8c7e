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

/// What is asked for, in patterns (globs, where '*' also matches '/' and '.') over probe ids and fact keys.
struct PlanRequest {
  std::vector<std::string> only;     ///< the user's explicit wish; empty: what the configuration includes
  std::vector<std::string> include;  ///< the configuration's choice; empty: everything
  std::vector<std::string> exclude;
  /// Facts known beforehand. They are measured again only if `only` or `include` asks for them.
  std::set<std::string> known;
  /// Facts that are settled: known, or known to stay open. They are never asked for again.
  std::set<std::string> settled;
  /// The published method whose probes take the place of those that provide the same facts; empty: none.
  std::string method{};
  /// Probes that are expected to take longer are left out, as if excluded.
  std::optional<double> max_probe_seconds{};
};

/// One need of a planned probe, and where it comes from.
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

/// A probe that was asked for but cannot be in the plan.
struct LeftOut {
  enum class Cause {
    excluded,  ///< by the user, as is something that it needs
    faulty,    ///< what it declares cannot be: it needs what in turn needs it
    blocked    ///< nobody provides what it needs, or only a probe that is left out for one of these causes
  };
  const ProbeDescription* probe = nullptr;
  Cause cause = Cause::excluded;
  std::string reason;
};

struct Plan {
  std::vector<PlannedProbe> probes;  ///< in the order of the run
  std::vector<LeftOut> left_out;

  [[nodiscard]] double expected_seconds() const;
};

/// Which probes are to run and in what order: every provider before those who need its facts, otherwise by id.
/// The result does not depend on the order of `plugins`, which must outlive it.
/// Probes that need each other's facts in a ring, or a fact that nobody provides, are left out: they cost nobody else
/// a fact.
/// @throws InputError naming patterns that match nothing, methods that nobody follows and facts that more than one
/// probe provides.
[[nodiscard]] Plan make_plan(std::span<const PluginDescription> plugins, const PlanRequest& request);

[[nodiscard]] Json to_json(const Plan& plan);
/// For people: a numbered list with reasons, needs and times.
[[nodiscard]] std::string to_text(const Plan& plan);

}  // namespace tomograph::host

#endif
