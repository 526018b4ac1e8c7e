#include "running/schedule.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace tomograph::host {
namespace {

bool runs_alone(const PlannedProbe& planned) {
  const PluginDescription& plugin = *planned.plugin;
  return planned.probe->uses_links != LinkUse::none || !plugin.devices.empty() || !plugin.executors.empty();
}

}  // namespace

Schedule::Schedule(std::span<const PlannedProbe> plan, std::size_t most) : most_(most) {
  std::map<std::string, std::size_t> providers;
  for (const PlannedProbe& planned : plan) {
    for (const FactDeclaration& fact : planned.probe->provides) providers.emplace(fact.key, probes_.size());
    probes_.push_back({&planned, {}, runs_alone(planned)});
  }
  for (std::size_t probe = 0; probe < plan.size(); ++probe) {
    for (const NeedDeclaration& need : plan[probe].probe->needs) {
      const auto found = providers.find(need.key);
      if (found == providers.end() || found->second == probe) continue;
      probes_[std::max(probe, found->second)].earlier.push_back(std::min(probe, found->second));
    }
  }
}

bool Schedule::has_facts(const Probe& probe) const {
  return std::ranges::all_of(probe.earlier, [this](std::size_t one) { return probes_[one].state == State::ended; });
}

bool Schedule::has_place(const Probe& probe) const {
  if (running_ == 0) return true;
  if (probe.is_alone || running_ >= most_) return false;
  return std::ranges::none_of(probes_, [&](const Probe& other) {
    if (other.state != State::running) return false;
    const bool would_wait = keeps_device(probe) && other.planned->probe->shares_device;
    return other.is_alone || would_wait || other.planned->plugin == probe.planned->plugin;
  });
}

bool Schedule::keeps_device(const Probe& probe) {
  const ProbeDescription& described = *probe.planned->probe;
  return !described.is_model && !described.shares_device;
}

int Schedule::place_in_order(const Probe& probe) {
  if (probe.is_alone) return 2;
  return keeps_device(probe) ? 1 : 0;
}

std::optional<std::size_t> Schedule::next(const std::function<bool()>& is_link_to_host_taken) const {
  std::optional<std::size_t> first;
  std::optional<std::size_t> last;
  for (std::size_t number = 0; number < probes_.size(); ++number) {
    const Probe& probe = probes_[number];
    if (probe.state != State::waiting || !has_facts(probe)) continue;
    const LinkUse links = probe.planned->probe->uses_links;
    if (!has_place(probe) || (last && links != LinkUse::none)) continue;
    if (links == LinkUse::host && is_link_to_host_taken()) {
      last = number;
    } else if (!first || place_in_order(probe) < place_in_order(probes_[*first])) {
      first = number;
    }
  }
  return first ? first : last;
}

void Schedule::begin(std::size_t probe) {
  probes_[probe].state = State::running;
  ++running_;
}

void Schedule::end(std::size_t probe) {
  if (probes_[probe].state == State::running) --running_;
  probes_[probe].state = State::ended;
  ++ended_;
}

void Schedule::repeat(std::size_t probe) {
  probes_[probe].state = State::waiting;
  probes_[probe].is_alone = true;
  --running_;
}

}  // namespace tomograph::host
