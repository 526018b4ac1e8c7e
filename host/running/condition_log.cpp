#include "running/condition_log.hpp"

#include <algorithm>
#include <cmath>

namespace tomograph::host {
namespace {

bool tells_something(const tomograph_reading& reading) {
  const bool has_number = std::ranges::any_of(condition_quantities(), [&](const ConditionQuantity& quantity) {
    return std::isfinite(reading.*quantity.value);
  });
  return has_number || reading.throttle_reasons != TOMOGRAPH_THROTTLE_UNKNOWN;
}

/// Copies a fact that identifies the device or its driver, if it is known.
void add_text(Json& conditions, const Topology& topology, const char* name) {
  const auto fact = topology.facts.find(std::string("device.") + name);
  if (fact != topology.facts.end() && fact->second.value.is_string()) conditions[name] = fact->second.value;
}

}  // namespace

double ConditionLog::now() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count() - start_;
}

void ConditionLog::begin(const std::string& probe) { spans_.push_back({probe, now(), now(), {}}); }

void ConditionLog::end(const std::string& probe, const Disturbances& disturbances) {
  const auto span = std::find_if(spans_.rbegin(), spans_.rend(), [&](const auto& one) { return one.probe == probe; });
  if (span == spans_.rend()) return;  // it never began: it was skipped or blocked
  span->end = now();
  span->disturbances = disturbances;
}

void ConditionLog::add(ConditionSample sample) {
  sample.time -= start_;
  if (tells_something(sample.reading)) samples_.push_back(sample);
}

void ConditionLog::describe(Topology& topology, Evidence& evidence) const {
  if (Json findings = condition_findings(samples_, spans_); !findings.empty()) {
    topology.provenance["findings"] = std::move(findings);
  }
  const std::vector<ConditionSample> measured = samples_in(samples_, spans_);
  if (measured.empty()) return;
  Json conditions = condition_summary(measured);
  for (const char* name : {"pci_bus_id", "driver_version"}) add_text(conditions, topology, name);
  topology.provenance["conditions"] = std::move(conditions);
  for (const ProbeSpan& span : spans_) {
    const auto own = samples_in(measured, {&span, 1});
    if (!own.empty()) evidence[span.probe].emplace("conditions", condition_curve(own));
  }
}

}  // namespace tomograph::host
