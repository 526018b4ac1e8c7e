#ifndef TOMOGRAPH_BENCH_DOUBT_CONDITIONS_HPP
#define TOMOGRAPH_BENCH_DOUBT_CONDITIONS_HPP

#include <functional>
#include <string>
#include <vector>

#include "sim/gpu/description.hpp"

namespace tomograph::bench {

/// A condition under which GPUs are measured.
struct Condition {
  std::string name;
  std::string meaning;
  std::function<void(sim::Gpu&)> apply;
};

/// From no noise to ten times the noise of an H200, and other disturbances. In the order of the table.
[[nodiscard]] std::vector<Condition> conditions();

}  // namespace tomograph::bench

#endif
