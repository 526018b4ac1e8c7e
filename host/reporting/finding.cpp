#include "reporting/finding.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "reporting/quantity.hpp"

namespace tomograph::host {
namespace {

std::string difference(const Json& measured, const Json& nominal) {
  if (!measured.is_number() || !nominal.is_number() || nominal.get<double>() == 0) return {};
  const double percent = 100 * (measured.get<double>() / nominal.get<double>() - 1);
  return fmt::format(", {:.2g} % {}", std::abs(percent), percent < 0 ? "less" : "more");
}

/// Probes that a sentence names; the file has them all.
constexpr std::size_t most_probes = 3;

/// " while a, b and 2 more ran".
std::string meanwhile(const Json& finding) {
  const auto probes = finding.value("probes", std::vector<std::string>{});
  if (probes.empty()) return {};
  const auto shown = probes.begin() + static_cast<std::ptrdiff_t>(std::min(probes.size(), most_probes));
  const std::string more = shown == probes.end() ? "" : fmt::format(" and {} more", probes.end() - shown);
  return fmt::format(" while {}{} ran", fmt::join(probes.begin(), shown, ", "), more);
}

std::string clock_step_text(const Json& finding) {
  const int steps = finding.value("steps", 1);
  return fmt::format("the SM clock stepped {} between {} and {}{}",
                     steps == 1 ? "once" : fmt::format("{} times", steps), quantity(finding.value("low", 0.0), "Hz"),
                     quantity(finding.value("high", 0.0), "Hz"), meanwhile(finding));
}

std::string throttled_text(const Json& finding) {
  const auto reasons = finding.value("reasons", std::vector<std::string>{});
  return fmt::format("the device was slowed down ({}){}", fmt::join(reasons, ", "), meanwhile(finding));
}

std::string neighbour_text(const Json& finding) {
  const int others = finding.value("other_processes", 0);
  std::string text =
      others > 1 ? fmt::format("up to {} other programs used the device", others) : "another program used the device";
  text += meanwhile(finding);
  const int repeated = finding.value("repeated", 0);
  if (repeated == 0) return text;
  return text + fmt::format(": {} experiments were repeated, {} of them without success", repeated,
                            finding.value("given_up", 0));
}

/// "1.41 GHz to 1.98 GHz", or one value if all are the same.
std::string spread_text(const Json& spread) {
  const auto unit = spread.at("unit").get<std::string>();
  const std::string least = quantity(spread.at("least"), unit);
  const std::string most = quantity(spread.at("most"), unit);
  return least == most ? most : least + " to " + most;
}

}  // namespace

std::string condition_finding_text(const Json& finding) {
  const std::string kind = finding.value("kind", "");
  if (kind == "clock-step") return clock_step_text(finding);
  return kind == "throttled" ? throttled_text(finding) : neighbour_text(finding);
}

std::vector<std::string> run_findings(const Topology& topology) {
  std::vector<std::string> texts;
  for (const Json& finding : topology.provenance.value("findings", Json::array())) {
    texts.push_back(condition_finding_text(finding));
  }
  return texts;
}

std::string conditions_line(const Topology& topology) {
  const Json conditions = topology.provenance.value("conditions", Json::object());
  std::vector<std::string> parts;
  for (const auto& [name, title] :
       {std::pair{"sm_clock", "SM "}, {"memory_clock", "memory "}, {"power", ""}, {"temperature", ""}}) {
    if (conditions.contains(name)) parts.push_back(title + spread_text(conditions.at(name)));
  }
  for (const auto& [name, title] : {std::pair{"driver_version", "driver "}, {"pci_bus_id", "PCI "}}) {
    if (conditions.contains(name)) parts.push_back(title + conditions.at(name).get<std::string>());
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string finding_text(const Finding& finding, const Topology& topology) {
  const FactRecord& measured = topology.facts.at(finding.key);
  const FactRecord& nominal = topology.facts.at(finding.against);
  return fmt::format("{} is {}, but {} by the API ({}){}", finding.key, quantity(measured.value, measured.unit),
                     quantity(nominal.value, nominal.unit), finding.against, difference(measured.value, nominal.value));
}

Json findings_json(const Topology& topology) {
  Json findings = Json::array();
  for (Json finding : topology.provenance.value("findings", Json::array())) {
    finding.update({{"key", ""}, {"against", ""}, {"message", condition_finding_text(finding)}});
    findings.push_back(std::move(finding));
  }
  for (const Finding& finding : disagreements(topology)) {
    findings.push_back(
        {{"key", finding.key}, {"against", finding.against}, {"message", finding_text(finding, topology)}});
  }
  return findings;
}

}  // namespace tomograph::host
