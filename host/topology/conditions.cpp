#include "topology/conditions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

namespace tomograph::host {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
/// Steps of the clock, and hundredths of it if its step is unknown, that rounding explains.
constexpr double rounded_steps = 1.5;
constexpr double rounded_share = 0.01;

constexpr std::array quantities{
    ConditionQuantity{"sm_clock", "Hz", "sm_clock_Hz", &tomograph_reading::sm_clock},
    ConditionQuantity{"memory_clock", "Hz", "memory_clock_Hz", &tomograph_reading::memory_clock},
    ConditionQuantity{"power", "W", "power_W", &tomograph_reading::power},
    ConditionQuantity{"temperature", "°C", "temperature_C", &tomograph_reading::temperature},
    ConditionQuantity{"other_processes", "1", "other_processes", &tomograph_reading::other_processes},
};

constexpr std::array<std::pair<tomograph_throttle_reasons, const char*>, 7> reason_names{
    {{TOMOGRAPH_THROTTLE_IDLE, "idle"},
     {TOMOGRAPH_THROTTLE_SETTING, "setting"},
     {TOMOGRAPH_THROTTLE_POWER_CAP, "power-cap"},
     {TOMOGRAPH_THROTTLE_THERMAL, "thermal"},
     {TOMOGRAPH_THROTTLE_POWER_BRAKE, "power-brake"},
     {TOMOGRAPH_THROTTLE_HARDWARE, "hardware"},
     {TOMOGRAPH_THROTTLE_SYNC_BOOST, "sync-boost"}}};

/// The reasons in a set, 0 if it is unknown.
tomograph_throttle_reasons known(tomograph_throttle_reasons reasons) {
  return reasons == TOMOGRAPH_THROTTLE_UNKNOWN ? 0 : reasons;
}

/// The reasons that slow a device down against its user's will.
tomograph_throttle_reasons slowing(const tomograph_reading& reading) {
  constexpr tomograph_throttle_reasons harmless = TOMOGRAPH_THROTTLE_IDLE | TOMOGRAPH_THROTTLE_SETTING;
  return known(reading.throttle_reasons) & ~harmless;
}

std::vector<double> known_values(std::span<const ConditionSample> samples, double tomograph_reading::*value) {
  std::vector<double> values;
  for (const ConditionSample& sample : samples) {
    if (std::isfinite(sample.reading.*value)) values.push_back(sample.reading.*value);
  }
  return values;
}

bool ran_at(const ProbeSpan& span, double from, double to) { return span.begin <= to && from <= span.end; }

std::vector<std::string> probes_where(std::span<const ProbeSpan> spans,
                                      const std::function<bool(const ProbeSpan&)>& is_meant) {
  std::vector<std::string> probes;
  for (const ProbeSpan& span : spans) {
    if (is_meant(span)) probes.push_back(span.probe);
  }
  return probes;
}

/// The samples whose clocks can be compared: of a busy device, after it woke.
std::vector<ConditionSample> of_busy_device(std::span<const ConditionSample> samples) {
  std::vector<ConditionSample> busy;
  for (const ConditionSample& sample : samples) {
    const bool is_idle = (known(sample.reading.throttle_reasons) & TOMOGRAPH_THROTTLE_IDLE) != 0;
    if (std::isfinite(sample.reading.sm_clock) && !is_idle) busy.push_back(sample);
  }
  const auto clock = [](const ConditionSample& sample) { return sample.reading.sm_clock; };
  // The clock rises until the device is awake.
  auto awake = std::ranges::adjacent_find(busy, std::greater_equal<>{}, clock);
  if (awake == busy.end() && !busy.empty()) --awake;
  busy.erase(busy.begin(), awake);
  return busy;
}

void add_clock_steps(Json& findings, std::span<const ConditionSample> samples, std::span<const ProbeSpan> spans) {
  const std::vector<ConditionSample> busy = of_busy_device(samples);
  std::vector<std::pair<double, double>> steps;  // times between which the clock changed
  for (std::size_t i = 1; i < busy.size(); ++i) {
    if (is_clock_step(busy[i - 1].reading, busy[i].reading)) steps.emplace_back(busy[i - 1].time, busy[i].time);
  }
  if (steps.empty()) return;
  const auto clocks = known_values(busy, &tomograph_reading::sm_clock);
  const auto [low, high] = std::ranges::minmax(clocks);
  const auto saw_a_step = [&](const ProbeSpan& span) {
    return std::ranges::any_of(steps, [&](const auto& step) { return ran_at(span, step.first, step.second); });
  };
  findings.push_back({{"kind", "clock-step"},
                      {"steps", steps.size()},
                      {"low", low},
                      {"high", high},
                      {"probes", probes_where(spans, saw_a_step)}});
}

/// The probes during which a sample was taken for which `is_meant` holds.
template <typename Predicate>
std::vector<std::string> probes_with(std::span<const ConditionSample> samples, std::span<const ProbeSpan> spans,
                                     Predicate is_meant) {
  return probes_where(spans, [&](const ProbeSpan& span) {
    return std::ranges::any_of(samples, [&](const ConditionSample& sample) {
      return ran_at(span, sample.time, sample.time) && is_meant(sample.reading);
    });
  });
}

void add_throttling(Json& findings, std::span<const ConditionSample> samples, std::span<const ProbeSpan> spans) {
  tomograph_throttle_reasons all = 0;
  for (const ConditionSample& sample : samples) all |= slowing(sample.reading);
  if (all == 0) return;
  const auto is_slowed = [](const tomograph_reading& reading) { return slowing(reading) != 0; };
  findings.push_back(
      {{"kind", "throttled"}, {"reasons", throttle_names(all)}, {"probes", probes_with(samples, spans, is_slowed)}});
}

void add_neighbours(Json& findings, std::span<const ConditionSample> samples, std::span<const ProbeSpan> spans) {
  double most = 0;
  for (const double count : known_values(samples, &tomograph_reading::other_processes)) most = std::max(most, count);
  Disturbances all;
  for (const ProbeSpan& span : spans) {
    all.repeated += span.disturbances.repeated;
    all.given_up += span.disturbances.given_up;
  }
  if (most == 0 && all.repeated == 0 && all.given_up == 0) return;
  std::vector<std::string> probes =
      probes_with(samples, spans, [](const tomograph_reading& reading) { return reading.other_processes > 0; });
  for (const ProbeSpan& span : spans) {
    const bool was_hit = span.disturbances.repeated != 0 || span.disturbances.given_up != 0;
    if (was_hit && std::ranges::find(probes, span.probe) == probes.end()) probes.push_back(span.probe);
  }
  findings.push_back({{"kind", "neighbour"},
                      {"other_processes", static_cast<std::int64_t>(most)},
                      {"repeated", all.repeated},
                      {"given_up", all.given_up},
                      {"probes", std::move(probes)}});
}

Json spread(std::vector<double> values, const char* unit) {
  std::ranges::sort(values);
  return {{"least", values.front()}, {"median", values[values.size() / 2]}, {"most", values.back()}, {"unit", unit}};
}

}  // namespace

tomograph_reading unknown_reading() {
  return {sizeof(tomograph_reading), unknown, unknown, unknown, unknown, unknown, unknown, TOMOGRAPH_THROTTLE_UNKNOWN};
}

std::span<const ConditionQuantity> condition_quantities() { return quantities; }

std::vector<std::string> throttle_names(tomograph_throttle_reasons reasons) {
  std::vector<std::string> names;
  for (const auto& [bit, name] : reason_names) {
    if ((known(reasons) & bit) != 0) names.emplace_back(name);
  }
  return names;
}

bool is_clock_step(const tomograph_reading& a, const tomograph_reading& b) {
  const double rounding = std::isfinite(b.sm_clock_step) ? rounded_steps * b.sm_clock_step
                                                         : rounded_share * std::max(a.sm_clock, b.sm_clock);
  return std::abs(a.sm_clock - b.sm_clock) > rounding;
}

std::vector<ConditionSample> samples_in(std::span<const ConditionSample> samples, std::span<const ProbeSpan> spans) {
  std::vector<ConditionSample> found;
  for (const ConditionSample& sample : samples) {
    const auto holds = [&](const ProbeSpan& span) { return ran_at(span, sample.time, sample.time); };
    if (std::ranges::any_of(spans, holds)) found.push_back(sample);
  }
  return found;
}

Curve condition_curve(std::span<const ConditionSample> samples) {
  std::vector<double> times;
  std::vector<std::int64_t> reasons;
  for (const ConditionSample& sample : samples) {
    times.push_back(sample.time);
    if (sample.reading.throttle_reasons == TOMOGRAPH_THROTTLE_UNKNOWN) continue;
    reasons.push_back(static_cast<std::int64_t>(sample.reading.throttle_reasons));
  }
  Curve curve{{"time_s", std::move(times)}};
  for (const ConditionQuantity& quantity : quantities) {
    std::vector<double> column;
    for (const ConditionSample& sample : samples) column.push_back(sample.reading.*quantity.value);
    if (!known_values(samples, quantity.value).empty()) curve.push_back({quantity.column, std::move(column)});
  }
  if (reasons.size() == samples.size()) curve.push_back({"throttle_reasons", std::move(reasons)});
  return curve;
}

Json condition_summary(std::span<const ConditionSample> samples) {
  Json summary{{"samples", samples.size()}};
  for (const ConditionQuantity& quantity : quantities) {
    const std::vector<double> values = known_values(samples, quantity.value);
    if (!values.empty()) summary[quantity.name] = spread(values, quantity.unit);
  }
  tomograph_throttle_reasons all = 0;
  bool is_told = false;
  for (const ConditionSample& sample : samples) {
    all |= known(sample.reading.throttle_reasons);
    is_told = is_told || sample.reading.throttle_reasons != TOMOGRAPH_THROTTLE_UNKNOWN;
  }
  if (is_told) summary["throttle_reasons"] = throttle_names(all);
  return summary;
}

Json condition_findings(std::span<const ConditionSample> samples, std::span<const ProbeSpan> spans) {
  Json findings = Json::array();
  const std::vector<ConditionSample> measured = samples_in(samples, spans);
  add_clock_steps(findings, measured, spans);
  add_throttling(findings, measured, spans);
  add_neighbours(findings, measured, spans);
  return findings;
}

}  // namespace tomograph::host
