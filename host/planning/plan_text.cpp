#include <fmt/format.h>

#include <string>
#include <string_view>

#include "planning/plan.hpp"

namespace tomograph::host {
namespace {

using Origin = PlannedNeed::Origin;

std::string origin_text(const PlannedNeed& need) {
  switch (need.origin) {
    case Origin::probe: return "from " + need.provider;
    case Origin::known: return "known beforehand";
    case Origin::device: return "from the device, when it is opened";
    default: return "missing";
  }
}

std::string_view origin_name(Origin origin) {
  switch (origin) {
    case Origin::probe: return "probe";
    case Origin::known: return "known";
    case Origin::device: return "device";
    default: return "missing";
  }
}

std::string_view cause_name(LeftOut::Cause cause) {
  switch (cause) {
    case LeftOut::Cause::excluded: return "excluded";
    case LeftOut::Cause::faulty: return "faulty";
    default: return "blocked";
  }
}

}  // namespace

Json to_json(const Plan& plan) {
  Json probes = Json::array();
  for (const PlannedProbe& planned : plan.probes) {
    Json needs = Json::array();
    for (const PlannedNeed& need : planned.needs) {
      needs.push_back({{"key", need.key}, {"optional", need.optional}, {"origin", origin_name(need.origin)}});
      if (need.origin == Origin::probe) needs.back()["provider"] = need.provider;
    }
    Json provides = Json::array();
    for (const FactDeclaration& fact : planned.probe->provides) provides.push_back(fact.key);
    probes.push_back({{"probe", planned.probe->id},
                      {"plugin", planned.plugin->id},
                      {"question", planned.probe->question},
                      {"reasons", planned.reasons},
                      {"needs", std::move(needs)},
                      {"provides", std::move(provides)},
                      {"expected_seconds", planned.probe->expected_seconds},
                      {"time_budget", planned.probe->time_budget}});
  }
  Json left_out = Json::array();
  for (const LeftOut& probe : plan.left_out) {
    left_out.push_back({{"probe", probe.probe->id}, {"cause", cause_name(probe.cause)}, {"reason", probe.reason}});
  }
  return {
      {"probes", std::move(probes)}, {"left_out", std::move(left_out)}, {"expected_seconds", plan.expected_seconds()}};
}

std::string to_text(const Plan& plan) {
  std::string text;
  std::size_t number = 0;
  for (const PlannedProbe& planned : plan.probes) {
    text += fmt::format("{:3}. {}  {:.2g} s\n     {}\n", ++number, planned.probe->id, planned.probe->expected_seconds,
                        planned.probe->question);
    for (const std::string& reason : planned.reasons) text += "     - " + reason + "\n";
    for (const PlannedNeed& need : planned.needs) {
      text += "     needs " + need.key + (need.optional ? " (optional), " : ", ") + origin_text(need) + "\n";
    }
  }
  for (const LeftOut& left : plan.left_out) text += "     left out: " + left.probe->id + ", " + left.reason + "\n";
  text += fmt::format("{} probe{}, about {:.2g} s\n", plan.probes.size(), plan.probes.size() == 1 ? "" : "s",
                      plan.expected_seconds());
  return text;
}

}  // namespace tomograph::host
