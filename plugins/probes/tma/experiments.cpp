#include "experiments.hpp"

#include <stdexcept>
#include <string>

#include "tomograph/scalars.hpp"

namespace tomograph::tma {

namespace {

/// Bounds of parameters, far beyond what any probe requests.
constexpr std::int64_t most_repeats = 1 << 20;
constexpr std::int64_t most_bytes = std::int64_t{1} << 34;

/// @throws std::invalid_argument unless one copy can move the tile.
void check_tile(Method method, std::int64_t tile) {
  const std::int64_t largest = largest_tile_of(method);
  if (tile % row_bytes == 0 && tile <= largest) return;
  throw std::invalid_argument("parameter 'tile' must be a multiple of " + std::to_string(row_bytes) + " up to " +
                              std::to_string(largest));
}

void check_direction(Method method, Direction direction) {
  if (direction == Direction::store && (method == Method::cp_async || method == Method::plain)) {
    throw std::invalid_argument("parameter 'direction' may be store only for copies by the TMA");
  }
}

}  // namespace

Experiment encode(const LatencyRequest& request) {
  return {latency_id,
          {{"method", static_cast<std::int64_t>(request.method)},
           {"direction", static_cast<std::int64_t>(request.direction)},
           {"tile", request.tile},
           {"rounds", request.rounds},
           {"trial", request.trial}}};
}
LatencyRequest decode_latency(const Experiment& experiment) {
  const LatencyRequest request{.method = enumerator_in(experiment, "method", Method::plain),
                               .direction = enumerator_in(experiment, "direction", Direction::store),
                               .tile = scalar_in(experiment, "tile", row_bytes, largest_tile),
                               .rounds = scalar_in(experiment, "rounds", 1, most_repeats),
                               .trial = scalar_in(experiment, "trial", 0, most_repeats)};
  check_tile(request.method, request.tile);
  check_direction(request.method, request.direction);
  return request;
}
Arrays encode(const LatencyAnswer& answer) { return {{"cycles", answer.cycles}, {"done", answer.done}}; }
LatencyAnswer decode_result(const LatencyRequest& /*request*/, const Answer& answer) {
  LatencyAnswer result{list_of<std::int64_t>(answer.arrays, "cycles"), list_of<std::int64_t>(answer.arrays, "done")};
  if (result.cycles.empty() || result.cycles.size() != result.done.size()) {
    throw std::invalid_argument("arrays 'cycles' and 'done' are empty or of different lengths");
  }
  return result;
}

Experiment encode(const ThroughputRequest& request) {
  return {throughput_id,
          {{"method", static_cast<std::int64_t>(request.method)},
           {"direction", static_cast<std::int64_t>(request.direction)},
           {"tile", request.tile},
           {"stages", request.stages},
           {"ctas_per_sm", request.ctas_per_sm},
           {"cluster", request.cluster},
           {"multicast", std::int64_t{request.multicast ? 1 : 0}},
           {"region", request.region},
           {"sm_bytes", request.sm_bytes},
           {"trial", request.trial}}};
}
ThroughputRequest decode_throughput(const Experiment& experiment) {
  const ThroughputRequest request{.method = enumerator_in(experiment, "method", Method::plain),
                                  .direction = enumerator_in(experiment, "direction", Direction::store),
                                  .tile = scalar_in(experiment, "tile", row_bytes, largest_tile),
                                  .stages = scalar_in(experiment, "stages", 1, 8),
                                  .ctas_per_sm = scalar_in(experiment, "ctas_per_sm", 1, 16),
                                  .cluster = scalar_in(experiment, "cluster", 1, 16),
                                  .multicast = scalar_in(experiment, "multicast", 0, 1) == 1,
                                  .region = scalar_in(experiment, "region", largest_tile, most_bytes),
                                  .sm_bytes = scalar_in(experiment, "sm_bytes", largest_tile, most_bytes),
                                  .trial = scalar_in(experiment, "trial", 0, most_repeats)};
  check_tile(request.method, request.tile);
  check_direction(request.method, request.direction);
  if ((request.stages & (request.stages - 1)) != 0) {
    throw std::invalid_argument("parameter 'stages' must be a power of two");
  }
  if (request.cluster > 1 && (request.method != Method::bulk || request.direction != Direction::load ||
                              request.tile % (16 * request.cluster) != 0)) {
    throw std::invalid_argument(
        "parameter 'cluster' requires bulk loads of tiles that are a multiple of 16 B for each CTA of the cluster");
  }
  return request;
}
Arrays encode(const ThroughputAnswer& answer) {
  return {{"ctas", answer.ctas}, {"cta_bytes", answer.cta_bytes}, {"nanoseconds", answer.nanoseconds}};
}
ThroughputAnswer decode_result(const ThroughputRequest& /*request*/, const Answer& answer) {
  return {scalar<std::int64_t>(answer.arrays, "ctas"), scalar<std::int64_t>(answer.arrays, "cta_bytes"),
          scalar<double>(answer.arrays, "nanoseconds")};
}

}  // namespace tomograph::tma
