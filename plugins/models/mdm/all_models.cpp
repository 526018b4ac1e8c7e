#include "all_models.hpp"

#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "tomograph/analysis/confidence.hpp"

namespace tomograph::mdm {

namespace {

constexpr std::array variants{std::pair{"gpumech", Variant::gpumech}, std::pair{"gpumech_plus", Variant::gpumech_plus},
                              std::pair{"mdm_queue", Variant::mdm_queue}, std::pair{"mdm_mshr", Variant::mdm_mshr},
                              std::pair{"mdm", Variant::mdm}};

}  // namespace

std::vector<ModelTime> times_by_model(const Machine& machine, const kernel::Profile& profile, Scheduler scheduler,
                                      const SaturationPrediction& saturation) {
  std::vector<ModelTime> times;
  for (const auto& [name, variant] : variants) {
    const PublishedPrediction prediction = predict(variant, scheduler, machine, profile);
    times.push_back({name, prediction.cycles, prediction.ipc});
  }
  times.push_back({"saturation", saturation.cycles, saturation.ipc});
  return times;
}

std::vector<std::pair<std::string, double>> stack_of(const SaturationPrediction& prediction) {
  std::vector<std::pair<std::string, double>> stack{
      {"issue", prediction.issue}, {"latency", prediction.latency}, {"imbalance", prediction.imbalance}};
  for (std::size_t k = 0; k < stations; ++k) {
    stack.emplace_back(std::string("wait_") + station_names[k], prediction.waits[k]);
  }
  // Far above the errors of sums of doubles (1e-16 each), far below a cycle of any kernel.
  constexpr double rounding = 1e-9;
  for (auto& [cause, cycles] : stack) {
    if (std::abs(cycles) <= rounding * prediction.cycles) cycles = 0;
  }
  return stack;
}

Fact derived(const char* key, Value value) {
  Fact fact{.key = key, .value = std::move(value), .method = "saturation"};
  fact.source = TOMOGRAPH_DERIVED;
  fact.confidence = confidence::models::kernel_time;
  fact.samples = 1;
  return fact;
}

}  // namespace tomograph::mdm
