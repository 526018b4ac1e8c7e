#include "experiments.hpp"

#include <stdexcept>

#include "tomograph/scalars.hpp"

namespace tomograph::l2_persistence {

namespace {

/// Bounds far beyond what the probe requests.
constexpr std::int64_t most_bytes = std::int64_t{1} << 40;
constexpr std::int64_t most_samples = 1 << 20;

}  // namespace

Experiment encode(const LoadsRequest& request) {
  return {loads_id,
          {{"set_aside", request.set_aside},
           {"persisting", request.persisting},
           {"normal", request.normal},
           {"samples_normal", std::int64_t{request.samples_normal ? 1 : 0}},
           {"samples", request.samples},
           {"trial", request.trial}}};
}

LoadsRequest decode_loads(const Experiment& experiment) {
  LoadsRequest request{.set_aside = scalar_in(experiment, "set_aside", 0, most_bytes),
                       .persisting = scalar_in(experiment, "persisting", 0, most_bytes),
                       .normal = scalar_in(experiment, "normal", 0, most_bytes),
                       .samples_normal = scalar_in(experiment, "samples_normal", 0, 1) == 1,
                       .samples = scalar_in(experiment, "samples", 1, most_samples),
                       .trial = scalar_in(experiment, "trial", 0, most_samples)};
  if ((request.samples_normal ? request.normal : request.persisting) > 0) return request;
  throw std::invalid_argument("samples of memory that is not loaded");
}

Arrays encode(const LoadsAnswer& answer) { return {{"cycles", answer.cycles}}; }

LoadsAnswer decode_result(const LoadsRequest& request, const Answer& answer) {
  auto cycles = list_of<std::int64_t>(answer.arrays, "cycles");
  if (cycles.size() == static_cast<std::size_t>(request.samples)) return {std::move(cycles)};
  throw std::invalid_argument("array 'cycles' has not one element for each sample");
}

}  // namespace tomograph::l2_persistence
