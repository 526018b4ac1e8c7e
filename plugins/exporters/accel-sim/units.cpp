#include "units.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tomograph::accel_sim {

namespace {

/// Each kind of unit, and the instruction whose facts are its own.
using Kind = std::pair<const char*, const char*>;
constexpr std::array kinds{Kind{"int", "instruction.int32_mad"}, Kind{"sp", "instruction.fp32_fma"},
                           Kind{"dp", "instruction.fp64_fma"}, Kind{"sfu", "instruction.special"}};

/// The most instructions of any kind that an SM starts in a cycle, at least 1: a slow unit is one, too.
long issue_width(const Topology& topology) {
  double width = 0;
  for (const auto& [key, fact] : topology.facts()) {
    if (!key.starts_with("instruction.") || !key.ends_with(".issue_latency")) continue;
    width = std::max(width, 1 / fact.value.get<double>());
  }
  return std::max(1L, std::lround(width));
}

}  // namespace

std::vector<Units> units_of(const Topology& topology) {
  const long width = issue_width(topology);
  std::vector<Units> found;
  for (const auto& [name, instruction] : kinds) {
    const std::string key(instruction);
    const auto latency = topology.value<double>(key + ".completion_latency");
    const auto interval = topology.value<double>(key + ".issue_latency");
    if (!latency || !interval) continue;
    const long initiation = std::max(1L, std::lround(*interval * static_cast<double>(width)));
    // As the tuner has it: no result is ready before the unit is.
    found.push_back({name, key, width, std::max(initiation, std::lround(*latency)), initiation});
  }
  return found;
}

}  // namespace tomograph::accel_sim
