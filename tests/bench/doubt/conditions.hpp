#ifndef TOMOGRAPH_BENCH_DOUBT_CONDITIONS_HPP
#define TOMOGRAPH_BENCH_DOUBT_CONDITIONS_HPP

#include <functional>
#include <string>
#include <vector>

#include "sim/gpu/description.hpp"

namespace tomograph::bench {

/// Circumstances under which GPUs are measured.
struct Condition {
  std::string name;
  std::string meaning;
  std::function<void(sim::Gpu&)> apply;
};

/// From silence to ten times the noise of an H200, and what else disturbs a run. The order is that of the table.
[[nodiscard]] std::vector<Condition> conditions();

}  // namespace tomograph::bench

#endif
