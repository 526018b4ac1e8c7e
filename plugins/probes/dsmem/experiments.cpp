#include "experiments.hpp"

#include <stdexcept>

#include "tomograph/scalars.hpp"

namespace tomograph::dsmem {

namespace {

/// Bounds of parameters, far beyond what any probe requests.
constexpr std::int64_t largest_size = 64;
constexpr std::int64_t most_repeats = 1 << 20;

}  // namespace

Experiment encode(const ClustersRequest& request) { return {clusters_id, {{"size", request.size}}}; }
ClustersRequest decode_clusters(const Experiment& experiment) {
  return {.size = scalar_in(experiment, "size", 1, largest_size)};
}
Arrays encode(const ClustersAnswer& answer) { return {{"resident", answer.resident}, {"seen_size", answer.seen_size}}; }
ClustersAnswer decode_result(const ClustersRequest& /*request*/, const Answer& answer) {
  return {scalar<std::int64_t>(answer.arrays, "resident"), list_of<std::int64_t>(answer.arrays, "seen_size")};
}

Experiment encode(const LatencyRequest& request) {
  return {latency_id, {{"size", request.size}, {"loads", request.loads}, {"trial", request.trial}}};
}
LatencyRequest decode_latency(const Experiment& experiment) {
  return {.size = scalar_in(experiment, "size", 1, largest_size),
          .loads = scalar_in(experiment, "loads", 16, most_repeats),
          .trial = scalar_in(experiment, "trial", 0, most_repeats)};
}
Arrays encode(const LatencyAnswer& answer) { return {{"sm", answer.sm}, {"cycles", answer.cycles}}; }
LatencyAnswer decode_result(const LatencyRequest& /*request*/, const Answer& answer) {
  return {list_of<std::int64_t>(answer.arrays, "sm"), list_of<double>(answer.arrays, "cycles")};
}

Experiment encode(const HandoverRequest& request) {
  return {handover_id,
          {{"space", static_cast<std::int64_t>(request.space)}, {"rounds", request.rounds}, {"trial", request.trial}}};
}
HandoverRequest decode_handover(const Experiment& experiment) {
  return {.space = enumerator_in(experiment, "space", Space::global),
          .rounds = scalar_in(experiment, "rounds", 1, most_repeats),
          .trial = scalar_in(experiment, "trial", 0, most_repeats)};
}
Arrays encode(const HandoverAnswer& answer) { return {{"cycles", answer.cycles}}; }
HandoverAnswer decode_result(const HandoverRequest& /*request*/, const Answer& answer) {
  return {list_of<double>(answer.arrays, "cycles")};
}

Experiment encode(const ThroughputRequest& request) {
  return {throughput_id,
          {{"size", request.size},
           {"operation", static_cast<std::int64_t>(request.operation)},
           {"partner", static_cast<std::int64_t>(request.partner)},
           {"space", static_cast<std::int64_t>(request.space)},
           {"width", request.width},
           {"passes", request.passes},
           {"trial", request.trial}}};
}
ThroughputRequest decode_throughput(const Experiment& experiment) {
  const ThroughputRequest request{.size = scalar_in(experiment, "size", 2, largest_size),
                                  .operation = enumerator_in(experiment, "operation", Operation::atomic),
                                  .partner = enumerator_in(experiment, "partner", Partner::first),
                                  .space = enumerator_in(experiment, "space", Space::global),
                                  .width = scalar_in(experiment, "width", 4, 16),
                                  .passes = scalar_in(experiment, "passes", 1, most_repeats),
                                  .trial = scalar_in(experiment, "trial", 0, most_repeats)};
  if (request.width != 4 && (request.width != 16 || request.operation == Operation::atomic)) {
    throw std::invalid_argument("parameter 'width' must be 4, or 16 for loads and stores");
  }
  return request;
}
Arrays encode(const ThroughputAnswer& answer) {
  return {{"pass_bytes", answer.pass_bytes}, {"cycles", answer.cycles}, {"nanoseconds", answer.nanoseconds}};
}
ThroughputAnswer decode_result(const ThroughputRequest& /*request*/, const Answer& answer) {
  return {scalar<std::int64_t>(answer.arrays, "pass_bytes"), list_of<double>(answer.arrays, "cycles"),
          scalar<double>(answer.arrays, "nanoseconds")};
}

}  // namespace tomograph::dsmem
