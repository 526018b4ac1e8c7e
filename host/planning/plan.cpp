#include "planning/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "loading/device_facts.hpp"
#include "planning/patterns.hpp"
#include "tomograph/documents/input_error.hpp"
#include "tomograph/documents/nearest_name.hpp"

namespace tomograph::host {
namespace {

using Origin = PlannedNeed::Origin;

struct Entry {
  const ProbeDescription* probe = nullptr;
  const PluginDescription* plugin = nullptr;
};

/// The probes that can run with a method, by id, and the providers of each fact. Ordered maps make the plan independent
/// of the order of loading.
struct Offers {
  std::map<std::string, Entry> probes;
  std::map<std::string, std::vector<std::string>> providers;
  std::set<std::string> lost;  ///< facts of the probes that the method replaces

  Offers(std::span<const PluginDescription> plugins, const std::string& method) {
    std::set<std::string> of_method;
    for_each_probe(plugins, [&](const PluginDescription& plugin, const ProbeDescription& probe) {
      if (probe.method.empty() || probe.method != method) return;
      probes.emplace(probe.id, Entry{&probe, &plugin});
      for (const FactDeclaration& fact : probe.provides) of_method.insert(fact.key);
    });
    for_each_probe(plugins, [&](const PluginDescription& plugin, const ProbeDescription& probe) {
      if (!probe.method.empty() || probe.predicts_kernels()) return;  // the latter runs in `tomograph predict`
      const auto taken = [&](const FactDeclaration& fact) { return of_method.contains(fact.key); };
      if (std::ranges::none_of(probe.provides, taken)) {
        probes.emplace(probe.id, Entry{&probe, &plugin});
      } else {
        for (const FactDeclaration& fact : probe.provides) lost.insert(fact.key);
      }
    });
    for (const auto& [id, entry] : probes) {
      for (const FactDeclaration& fact : entry.probe->provides) providers[fact.key].push_back(id);
    }
  }

 private:
  template <typename Visit>
  static void for_each_probe(std::span<const PluginDescription> plugins, Visit visit) {
    for (const PluginDescription& plugin : plugins) {
      for (const ProbeDescription& probe : plugin.probes) visit(plugin, probe);
    }
  }
};

class Planner {
 public:
  Planner(std::span<const PluginDescription> plugins, const PlanRequest& request)
      : plugins_(plugins), request_(request), offers_(plugins, request.method) {}

  Plan plan() {
    for (const auto* patterns : {&request_.only, &request_.include, &request_.exclude}) {
      for (const std::string& pattern : *patterns) {
        if (const auto reason = unmatched(pattern, plugins_)) complain(*reason);
      }
    }
    check_method();
    select();
    pull_in_providers();
    require_single_providers();
    if (!problems_.empty()) throw InputError(std::move(problems_));
    leave_out_dependants();
    Plan plan;
    for (const std::string& id : ordered_without_rings()) plan.probes.push_back(planned(id));
    for (const auto& [id, left] : left_out_) plan.left_out.push_back(left);
    for (const std::string& pattern : request_.exclude) {
      if (const auto warning = effect_missed(pattern, plan)) plan.warnings.push_back(*warning);
    }
    return plan;
  }

 private:
  /// The method must be known, and each pattern of `only` must match a probe that can run with it.
  void check_method() {
    std::set<std::string> methods;
    for (const PluginDescription& plugin : plugins_) {
      for (const ProbeDescription& probe : plugin.probes) methods.insert(probe.method);
    }
    const std::vector<std::string> names(std::next(methods.begin(), methods.contains("") ? 1 : 0), methods.end());
    if (!request_.method.empty() && !methods.contains(request_.method)) {
      std::string known;
      for (const std::string& name : names) known += (known.empty() ? "; there are " : ", ") + name;
      const std::string nearest = suggestion(request_.method, names);
      complain("no probe follows method '" + request_.method + "'" + (nearest.empty() ? known : nearest));
      return;
    }
    for (const std::string& pattern : request_.only) {
      if (const auto method = needed_method(pattern)) {
        complain("pattern '" + pattern + "' fits only probes of a method that was not asked for: add --method " +
                 *method);
      } else if (fits_only_kernel_models(pattern)) {
        complain("pattern '" + pattern + "' fits only models of kernels, which tomograph predict runs");
      }
    }
  }

  [[nodiscard]] bool fits_only_kernel_models(const std::string& pattern) const {
    const std::vector<std::string> only{pattern};
    const auto fits = [&](const auto& offer) { return matching_pattern(only, *offer.second.probe).has_value(); };
    const auto fits_model = [&](const ProbeDescription& probe) {
      return probe.predicts_kernels() && matching_pattern(only, probe).has_value();
    };
    return std::ranges::none_of(offers_.probes, fits) && std::ranges::any_of(plugins_, [&](const auto& plugin) {
             return std::ranges::any_of(plugin.probes, fits_model);
           });
  }

  /// The method that must be asked for so that a probe that matches the pattern can run, if there is one.
  [[nodiscard]] std::optional<std::string> needed_method(const std::string& pattern) const {
    const std::vector<std::string> only{pattern};
    const auto fits = [&](const auto& offer) { return matching_pattern(only, *offer.second.probe).has_value(); };
    if (std::ranges::any_of(offers_.probes, fits)) return std::nullopt;
    for (const PluginDescription& plugin : plugins_) {
      for (const ProbeDescription& probe : plugin.probes) {
        if (!probe.method.empty() && matching_pattern(only, probe)) return probe.method;
      }
    }
    return std::nullopt;
  }

  /// Whether the pattern fits the probe's id or all of its facts.
  [[nodiscard]] static bool excludes(const std::string& pattern, const ProbeDescription& probe) {
    const auto covered = [&](const FactDeclaration& fact) { return matches(pattern, fact.key); };
    return matches(pattern, probe.id) || std::ranges::all_of(probe.provides, covered);
  }

  /// The patterns that exclude a probe: one that fits its id or all of its facts, or several that cover its facts
  /// together. Empty if a fact remains.
  [[nodiscard]] std::vector<std::string> excluding_patterns(const ProbeDescription& probe) const {
    for (const std::string& pattern : request_.exclude) {
      if (excludes(pattern, probe)) return {pattern};
    }
    std::vector<std::string> patterns;
    for (const FactDeclaration& fact : probe.provides) {
      const auto covers = [&](const std::string& pattern) { return matches(pattern, fact.key); };
      const auto pattern = std::ranges::find_if(request_.exclude, covers);
      if (pattern == request_.exclude.end()) return {};
      if (std::ranges::find(patterns, *pattern) == patterns.end()) patterns.push_back(*pattern);
    }
    return patterns;
  }

  /// A warning for a pattern that was meant to exclude a probe of the plan and excludes none.
  [[nodiscard]] std::optional<std::string> effect_missed(const std::string& pattern, const Plan& plan) const {
    const auto is_excluded = [&](const auto& offer) {
      const ProbeDescription& probe = *offer.second.probe;
      const std::vector<std::string> patterns = excluding_patterns(probe);
      return excludes(pattern, probe) || std::ranges::find(patterns, pattern) != patterns.end();
    };
    if (std::ranges::any_of(offers_.probes, is_excluded)) return std::nullopt;
    const std::vector<std::string> only{pattern};
    for (const PlannedProbe& planned : plan.probes) {
      if (!matching_pattern(only, *planned.probe)) continue;
      const auto remains = [&](const FactDeclaration& fact) {
        return std::ranges::none_of(request_.exclude, [&](const auto& each) { return matches(each, fact.key); });
      };
      const auto fact = std::ranges::find_if(planned.probe->provides, remains);
      return fmt::format("exclude '{}' leaves out no probe: {} also measures {}", pattern, planned.probe->id,
                         fact->key);
    }
    return std::nullopt;
  }

  /// Why a probe is excluded: by patterns, or because it is too slow.
  [[nodiscard]] std::optional<std::string> exclusion(const ProbeDescription& probe) const {
    const std::vector<std::string> patterns = excluding_patterns(probe);
    if (!patterns.empty()) return fmt::format("excluded by '{}'", fmt::join(patterns, "' and '"));
    if (probe.expected_seconds > request_.max_probe_seconds.value_or(probe.expected_seconds)) {
      return fmt::format("expected to take {:.2g} s, more than max_probe_seconds = {:g}", probe.expected_seconds,
                         *request_.max_probe_seconds);
    }
    return std::nullopt;
  }

  /// Whether all facts of the probe are settled, or known and not asked for.
  [[nodiscard]] bool is_answered(const ProbeDescription& probe) const {
    return std::ranges::all_of(probe.provides, [&](const FactDeclaration& fact) {
      if (request_.settled.contains(fact.key)) return true;
      return request_.only.empty() && request_.include.empty() && request_.known.contains(fact.key);
    });
  }

  void select() {
    static const std::vector<std::string> everything{"*"};
    const auto& wanted =
        !request_.only.empty() ? request_.only : (!request_.include.empty() ? request_.include : everything);
    for (const auto& [id, entry] : offers_.probes) {
      const auto pattern = matching_pattern(wanted, *entry.probe);
      if (!pattern || is_answered(*entry.probe)) continue;
      if (const auto excluded = exclusion(*entry.probe)) {
        leave_out(id, LeftOut::Cause::excluded, *excluded);
      } else {
        reasons_[id].push_back("asked for by '" + *pattern + "'");
      }
    }
  }

  [[nodiscard]] bool is_known(const std::string& key) const {
    return request_.known.contains(key) || request_.settled.contains(key);
  }

  /// The providers of a fact that are not excluded. If some of them were asked for, only those.
  [[nodiscard]] std::vector<std::string> usable_providers(const std::string& key) const {
    const auto found = offers_.providers.find(key);
    if (found == offers_.providers.end()) return {};
    std::vector<std::string> usable;
    std::vector<std::string> chosen;
    for (const std::string& id : found->second) {
      if (exclusion(*offers_.probes.at(id).probe)) continue;
      usable.push_back(id);
      if (reasons_.contains(id)) chosen.push_back(id);
    }
    return chosen.empty() ? usable : chosen;
  }

  void pull_in_providers() {
    std::vector<std::string> open;
    for (const auto& [id, reasons] : reasons_) open.push_back(id);
    for (std::size_t i = 0; i < open.size(); ++i) {
      const std::string id = open[i];
      for (const NeedDeclaration& need : offers_.probes.at(id).probe->needs) {
        if (is_known(need.key)) continue;
        const auto provider = provider_for(need);
        if (!provider || *provider == id) continue;
        const bool is_new = !reasons_.contains(*provider);
        reasons_[*provider].push_back("provides " + need.key + " for " + id);
        if (is_new) open.push_back(*provider);
      }
    }
  }

  void leave_out(const std::string& id, LeftOut::Cause cause, const std::string& reason) {
    left_out_.emplace(id, LeftOut{offers_.probes.at(id).probe, cause, reason});
    reasons_.erase(id);
  }

  /// The provider of a fact, if there is exactly one. If there are several of a fact that must be known, records the
  /// conflict.
  std::optional<std::string> provider_for(const NeedDeclaration& need) {
    const auto usable = usable_providers(need.key);
    if (usable.size() == 1) return usable.front();
    if (usable.size() > 1 && !need.optional) competing_.emplace(need.key, usable);
    return std::nullopt;
  }

  void complain(const std::string& message) { problems_.push_back({{}, 0, 0, {}, message}); }

  void require_single_providers() {
    for (const auto& [key, providers] : offers_.providers) {
      std::vector<std::string> planned;
      std::ranges::copy_if(providers, std::back_inserter(planned),
                           [&](const auto& id) { return reasons_.contains(id); });
      if (planned.size() > 1) competing_.emplace(key, planned);
    }
    for (const auto& [key, providers] : competing_) {
      std::string names;
      for (const std::string& id : providers) {
        const std::string path = offers_.probes.at(id).plugin->path.string();
        names.append(names.empty() ? "" : " and ").append(id).append(" (").append(path).append(")");
      }
      complain(fmt::format("fact {} has more than one provider: {}; exclude all but one", key, names));
    }
  }

  /// Leaves out probes with a hard need that no probe in the plan provides, and probes that need their facts in turn.
  void leave_out_dependants() {
    for (bool changed = true; changed;) {
      changed = false;
      for (auto entry = reasons_.begin(); entry != reasons_.end();) {
        const std::string id = (entry++)->first;
        if (const auto impossible = obstacle(id)) {
          leave_out(id, impossible->cause, impossible->reason);
          changed = true;
        }
      }
    }
  }

  [[nodiscard]] std::optional<LeftOut> obstacle(const std::string& id) const {
    const ProbeDescription* probe = offers_.probes.at(id).probe;
    for (const NeedDeclaration& need : probe->needs) {
      if (need.optional || is_known(need.key) || is_device_fact(need.key)) continue;
      const auto providers = offers_.providers.find(need.key);
      if (providers == offers_.providers.end())
        return LeftOut{probe, cause_without(need.key), reason_without(need.key)};
      const auto is_planned = [&](const std::string& provider) { return reasons_.contains(provider); };
      if (std::ranges::any_of(providers->second, is_planned)) continue;
      const std::string& provider = providers->second.front();
      const auto left = left_out_.find(provider);
      const bool excluded = left == left_out_.end() || left->second.cause == LeftOut::Cause::excluded;
      return LeftOut{probe, excluded ? LeftOut::Cause::excluded : LeftOut::Cause::blocked,
                     "needs " + need.key + ", whose provider " + provider +
                         (excluded ? " is excluded" : " is left out: " + left->second.reason)};
    }
    return std::nullopt;
  }

  /// Of leaving out a probe that needs a fact without a provider.
  [[nodiscard]] LeftOut::Cause cause_without(const std::string& key) const {
    return offers_.lost.contains(key) ? LeftOut::Cause::excluded : LeftOut::Cause::blocked;
  }
  [[nodiscard]] std::string reason_without(const std::string& key) const {
    if (offers_.lost.contains(key)) return "needs " + key + ", which method " + request_.method + " does not tell";
    std::vector<std::string> keys;
    for (const auto& [known, providers] : offers_.providers) keys.push_back(known);
    for (const DeviceFact& known : device_facts()) keys.emplace_back(known.key);
    return "needs fact " + key + ", which no probe provides" + suggestion(key, keys);
  }

  [[nodiscard]] PlannedNeed resolved(const NeedDeclaration& need) const {
    PlannedNeed result{need.key, need.optional, Origin::missing, {}};
    if (const auto providers = offers_.providers.find(need.key); providers != offers_.providers.end()) {
      for (const std::string& id : providers->second) {
        if (!reasons_.contains(id)) continue;
        return {need.key, need.optional, Origin::probe, id};
      }
    }
    if (is_known(need.key)) {
      result.origin = Origin::known;
    } else if (is_device_fact(need.key)) {
      result.origin = Origin::device;  // devices publish these on opening, so a plan cannot know them
    }
    return result;
  }

  [[nodiscard]] PlannedProbe planned(const std::string& id) const {
    const Entry& entry = offers_.probes.at(id);
    PlannedProbe result{entry.probe, entry.plugin, reasons_.at(id), {}};
    for (const NeedDeclaration& need : entry.probe->needs) result.needs.push_back(resolved(need));
    return result;
  }

  using Waiting = std::map<std::string, std::set<std::string>>;  ///< the providers that each probe waits for

  [[nodiscard]] std::vector<std::string> ordered_without_rings() {
    while (true) {
      Waiting waits_for = waiting();
      std::vector<std::string> order = ordered(waits_for);
      if (waits_for.empty()) return order;
      const std::vector<std::string> ring = ring_among(waits_for);
      const std::string text = ring_text(ring);
      for (const std::string& id : ring) leave_out(id, LeftOut::Cause::faulty, text);
      leave_out_dependants();
    }
  }

  [[nodiscard]] Waiting waiting() const {
    Waiting waits_for;
    for (const auto& [id, reasons] : reasons_) {
      auto& providers = waits_for[id];
      for (const NeedDeclaration& need : offers_.probes.at(id).probe->needs) {
        if (const PlannedNeed found = resolved(need); found.origin == Origin::probe) providers.insert(found.provider);
      }
    }
    return waits_for;
  }

  /// Topological order by Kahn's algorithm (1962), smallest id first. Probes that never become ready remain in
  /// `waits_for`.
  [[nodiscard]] static std::vector<std::string> ordered(Waiting& waits_for) {
    std::vector<std::string> order;
    while (true) {
      const auto ready = std::ranges::find_if(waits_for, [](const auto& entry) { return entry.second.empty(); });
      if (ready == waits_for.end()) return order;
      const std::string id = ready->first;
      waits_for.erase(ready);
      for (auto& [waiting, providers] : waits_for) providers.erase(id);
      order.push_back(id);
    }
  }

  /// A cycle of probes that wait for each other.
  [[nodiscard]] static std::vector<std::string> ring_among(const Waiting& waits_for) {
    std::vector<std::string> path{waits_for.begin()->first};
    while (true) {
      const std::string& next = *waits_for.at(path.back()).begin();
      if (const auto again = std::ranges::find(path, next); again != path.end()) {
        path.erase(path.begin(), again);
        return path;
      }
      path.push_back(next);
    }
  }

  [[nodiscard]] std::string ring_text(const std::vector<std::string>& ring) const {
    std::string text = "probes need each other's facts: " + ring.front();
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const std::string& provider = ring[(i + 1) % ring.size()];
      text += " needs " + fact_between(ring[i], provider) + " from " + provider;
      if (i + 1 < ring.size()) text += ", which";
    }
    return text;
  }

  [[nodiscard]] std::string fact_between(const std::string& dependant, const std::string& provider) const {
    for (const NeedDeclaration& need : offers_.probes.at(dependant).probe->needs) {
      if (resolved(need).provider == provider) return need.key;
    }
    return {};
  }

  std::span<const PluginDescription> plugins_;
  const PlanRequest& request_;
  Offers offers_;
  std::map<std::string, std::vector<std::string>> reasons_;  ///< of each probe in the plan
  std::map<std::string, LeftOut> left_out_;
  std::map<std::string, std::vector<std::string>> competing_;
  std::vector<Problem> problems_;
};

}  // namespace

double Plan::expected_seconds() const {
  double sum = 0;
  for (const PlannedProbe& planned : probes) sum += planned.probe->expected_seconds;
  return sum;
}

Plan make_plan(std::span<const PluginDescription> plugins, const PlanRequest& request) {
  return Planner(plugins, request).plan();
}

}  // namespace tomograph::host
