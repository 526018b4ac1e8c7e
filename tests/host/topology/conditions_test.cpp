#include "topology/conditions.hpp"

#include "catch.hpp"

using namespace tomograph::host;

namespace {

constexpr double mega = 1e6;
constexpr double clock_step = 15 * mega;

/// A sample of a busy GPU; one every tenth of a second.
ConditionSample at(int tenth, double megahertz) {
  ConditionSample sample;
  sample.time = tenth / 10.0;
  sample.reading.sm_clock = megahertz * mega;
  sample.reading.sm_clock_step = clock_step;
  sample.reading.throttle_reasons = 0;
  sample.reading.other_processes = 0;
  return sample;
}

std::vector<ConditionSample> clocks(const std::vector<double>& megahertz) {
  std::vector<ConditionSample> samples;
  for (const double clock : megahertz) samples.push_back(at(static_cast<int>(samples.size()), clock));
  return samples;
}

/// Three probes of half a second, the last of which samples end in.
const std::vector<ProbeSpan> three_probes{
    {"p/first", 0, 0.45, {}}, {"p/second", 0.46, 0.95, {}}, {"p/third", 0.96, 9, {}}};

Json finding(const std::vector<ConditionSample>& samples, const std::string& kind,
             const std::vector<ProbeSpan>& spans = three_probes) {
  for (const Json& one : condition_findings(samples, spans)) {
    if (one.at("kind") == kind) return one;
  }
  return {};
}

}  // namespace

TEST_CASE("a clock that steps names the probes that ran between the two readings") {
  const Json step = finding(clocks({1980, 1980, 1980, 1410, 1410, 1410}), "clock-step");
  CHECK(step.at("steps") == 1);
  CHECK(step.at("low") == 1410 * mega);
  CHECK(step.at("high") == 1980 * mega);
  CHECK(step.at("probes") == Json{"p/first"});
  const Json between = finding(clocks({1980, 1980, 1980, 1980, 1980, 1410, 1410}), "clock-step");
  CHECK(between.at("probes") == Json{"p/first", "p/second"});
}

TEST_CASE("a reading that flickers by one step is rounding, by two it is a clock step") {
  CHECK(finding(clocks({1980, 1965, 1980, 1980, 1965}), "clock-step").is_null());
  CHECK(finding(clocks({1980, 1980, 1950, 1980}), "clock-step").at("steps") == 2);
}

TEST_CASE("where the device does not tell its step, one hundredth is rounding") {
  std::vector<ConditionSample> samples = clocks({1000, 1000, 1009, 1000});
  for (ConditionSample& sample : samples) sample.reading.sm_clock_step = unknown_reading().sm_clock_step;
  CHECK(finding(samples, "clock-step").is_null());
  samples[2].reading.sm_clock = 1011 * mega;
  CHECK(finding(samples, "clock-step").at("steps") == 2);
}

TEST_CASE("a GPU that wakes, idles between kernels or changes its clock between probes has no clock step") {
  CHECK(finding(clocks({345, 1200, 1980, 1980, 1980}), "clock-step").is_null());
  CHECK(finding(clocks({345, 1980}), "clock-step").is_null());
  std::vector<ConditionSample> idle = clocks({1980, 1980, 345, 1980});
  idle[2].reading.throttle_reasons = TOMOGRAPH_THROTTLE_IDLE;
  CHECK(finding(idle, "clock-step").is_null());
  CHECK(condition_findings(clocks({1980, 1980, 1410}), std::vector<ProbeSpan>{{"p/late", 0.15, 0.3, {}}}).empty());
}

TEST_CASE("a device that is slowed down names the reasons, and idleness and settings are none") {
  std::vector<ConditionSample> samples = clocks({1980, 1980, 1980, 1980, 1980, 1980});
  samples[1].reading.throttle_reasons = TOMOGRAPH_THROTTLE_IDLE | TOMOGRAPH_THROTTLE_SETTING;
  CHECK(finding(samples, "throttled").is_null());
  samples[5].reading.throttle_reasons = TOMOGRAPH_THROTTLE_POWER_CAP | TOMOGRAPH_THROTTLE_THERMAL;
  const Json throttled = finding(samples, "throttled");
  CHECK(throttled.at("reasons") == Json{"power-cap", "thermal"});
  CHECK(throttled.at("probes") == Json{"p/second"});
}

TEST_CASE("a neighbour is one finding, whether seen as a process or by what it disturbed") {
  std::vector<ConditionSample> samples = clocks({1980, 1980});
  samples[1].reading.other_processes = 2;
  std::vector<ProbeSpan> spans = three_probes;
  spans[2].disturbances = {5, 1};
  CHECK(finding(samples, "neighbour", spans) == Json{{"kind", "neighbour"},
                                                     {"other_processes", 2},
                                                     {"repeated", 5},
                                                     {"given_up", 1},
                                                     {"probes", {"p/first", "p/third"}}});
  CHECK(finding({}, "neighbour", spans).at("probes") == Json{"p/third"});
}

TEST_CASE("a summary has the spread of what the device told, and nothing else") {
  std::vector<ConditionSample> samples = clocks({1980, 1410, 1980});
  for (ConditionSample& sample : samples) sample.reading.other_processes = unknown_reading().other_processes;
  samples[1].reading.power = 300;
  samples[2].reading.throttle_reasons = TOMOGRAPH_THROTTLE_THERMAL;
  CHECK(condition_summary(samples) ==
        Json{{"samples", 3},
             {"sm_clock", {{"least", 1.41e9}, {"median", 1.98e9}, {"most", 1.98e9}, {"unit", "Hz"}}},
             {"power", {{"least", 300.0}, {"median", 300.0}, {"most", 300.0}, {"unit", "W"}}},
             {"throttle_reasons", {"thermal"}}});
  const Curve curve = condition_curve(samples);
  std::vector<std::string> columns;
  for (const auto& column : curve) columns.push_back(column.name);
  CHECK(columns == std::vector<std::string>{"time_s", "sm_clock_Hz", "power_W", "throttle_reasons"});
}

TEST_CASE("a device that tells nothing has no findings and an empty summary") {
  CHECK(condition_findings({}, three_probes).empty());
  CHECK(condition_summary({}) == Json{{"samples", 0}});
}
