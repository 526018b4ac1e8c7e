#include "reporting/finding.hpp"

#include <fmt/format.h>

#include <cmath>

#include "reporting/quantity.hpp"

namespace tomograph::host {
namespace {

std::string difference(const Json& measured, const Json& nominal) {
  if (!measured.is_number() || !nominal.is_number() || nominal.get<double>() == 0) return {};
  const double percent = 100 * (measured.get<double>() / nominal.get<double>() - 1);
  return fmt::format(", {:.2g} % {}", std::abs(percent), percent < 0 ? "less" : "more");
}

}  // namespace

std::string finding_text(const Finding& finding, const Topology& topology) {
  const FactRecord& measured = topology.facts.at(finding.key);
  const FactRecord& nominal = topology.facts.at(finding.against);
  return fmt::format("{} is {}, but {} by the API ({}){}", finding.key, quantity(measured.value, measured.unit),
                     quantity(nominal.value, nominal.unit), finding.against, difference(measured.value, nominal.value));
}

Json findings_json(const Topology& topology) {
  Json findings = Json::array();
  for (const Finding& finding : disagreements(topology)) {
    findings.push_back(
        {{"key", finding.key}, {"against", finding.against}, {"message", finding_text(finding, topology)}});
  }
  return findings;
}

}  // namespace tomograph::host
