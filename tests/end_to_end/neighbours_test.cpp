// Recordings of runs beside other programs, replayed against the topology of a run alone on the same GPU
// (tests/bench/neighbours makes both).
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "catch.hpp"
#include "tomograph_program.hpp"

namespace fs = std::filesystem;

namespace {

/// Relative difference up to which points of a curve are the same. Repeated curves of an idle H200 agree within it.
constexpr double curve_tolerance = 0.05;

/// Relative difference up to which runs of a clean GPU agree.
double tolerance(const std::string& unit) {
  if (unit == "cycle") return 0.02;
  return unit == "B/cycle" || unit == "FLOP/cycle" || unit == "B/s" ? 0.03 : 0;
}

void append_points(const Json& value, std::vector<Json>& points) {
  if (!value.is_structured()) return points.push_back(value);
  for (const Json& part : value) append_points(part, points);
}

bool is_same_point(const Json& a, const Json& b) {
  if (!a.is_number() || !b.is_number()) return a == b;
  const double high = std::max(std::abs(a.get<double>()), std::abs(b.get<double>()));
  return std::abs(a.get<double>() - b.get<double>()) <= curve_tolerance * high;
}

bool contradict(const Json& a, const Json& b) {
  if (a.contains("interval") && b.contains("interval")) {
    const auto bound = [](const Json& fact, std::size_t i) { return fact["interval"][i].get<double>(); };
    const double margin = tolerance(a.value("unit", "")) * std::max(std::abs(bound(a, 1)), std::abs(bound(b, 1)));
    return bound(a, 1) + margin < bound(b, 0) || bound(b, 1) + margin < bound(a, 0);
  }
  if (!a["value"].is_structured()) return a["value"] != b["value"];
  std::vector<Json> one;
  std::vector<Json> other;
  append_points(a["value"], one);
  append_points(b["value"], other);
  return !std::ranges::equal(one, other, is_same_point);
}

bool is_sure(const Json& fact) { return fact.is_object() && fact.value("confidence", 0.0) >= 0.99; }

}  // namespace

TEST_CASE("a run beside other programs contradicts a run alone in no fact of which both are sure") {
  const fs::path folder = TOMOGRAPH_SOURCE_DIR "/tests/recordings/beside";
  if (!fs::exists(folder)) skip_here("there is no recording of a run beside another program yet");
  const Workspace workspace;
  const Json alone = shown_topology(workspace, folder / "alone.toml");
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".rec") continue;
    INFO(entry.path());
    (void)workspace.run({"run", "--device", "replay:" + entry.path().string()});
    const Json beside = shown_topology(workspace, "topology.toml");
    std::size_t compared = 0;
    for (const auto& [key, outcome] : beside.at("outcomes").items()) {
      const Json one = fact(alone, key);
      const Json other = fact(beside, key);
      const bool is_bound = key.ends_with("_at_least");  // two bounds may both hold
      if (is_bound || !is_sure(one) || !is_sure(other)) continue;
      ++compared;
      INFO(key);
      CHECK_FALSE(contradict(one, other));
    }
    CHECK(compared > 0);
  }
}
