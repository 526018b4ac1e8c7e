#include "experiments.hpp"

#include <charconv>
#include <stdexcept>

namespace tomograph::tma {

namespace {

std::int64_t number(const Experiment& experiment, const char* name, std::int64_t low, std::int64_t high) {
  const auto values = numbers<std::int64_t>(experiment.parameters, name);
  if (values.size() != 1 || values[0] < low || values[0] > high) {
    throw std::invalid_argument("parameter '" + std::string(name) + "' is no number from " + std::to_string(low) +
                                " to " + std::to_string(high));
  }
  return values[0];
}

template <typename T>
T first(const Answer& answer, const char* name) {
  const auto values = numbers<T>(answer.arrays, name);
  if (values.size() != 1) throw std::invalid_argument("array '" + std::string(name) + "' is not one number");
  return values.front();
}

template <typename Result, typename Request, typename Decode>
std::vector<Result> run(const Session& session, std::span<const Request> requests, Decode decode) {
  std::vector<Experiment> experiments;
  for (const Request& request : requests) experiments.push_back(encode(request));
  std::vector<Result> results;
  for (const Answer& answer : session.execute(experiments)) {
    if (answer.status == TOMOGRAPH_UNSUPPORTED) throw Skip("device", answer.reason);
    if (answer.status != TOMOGRAPH_OK) throw Refused(answer.status, answer.reason);
    results.push_back(decode(answer));
  }
  return results;
}

constexpr std::int64_t largest_tile = 128 * 1024;
constexpr std::int64_t most_repeats = 1 << 20;
constexpr std::int64_t most_bytes = std::int64_t{1} << 34;

/// Of the size that one copy can have: a multiple of a row and, for a tensor, no more rows than a box has.
void check_tile(Method method, std::int64_t tile) {
  const std::int64_t most = method == Method::tensor ? std::int64_t{row_bytes} * most_rows : largest_tile;
  if (tile % row_bytes == 0 && tile <= most) return;
  throw std::invalid_argument("parameter 'tile' is no multiple of " + std::to_string(row_bytes) + " up to " +
                              std::to_string(most));
}

void check_direction(Method method, Direction direction) {
  if (direction == Direction::store && (method == Method::cp_async || method == Method::plain)) {
    throw std::invalid_argument("parameter 'direction' is store, which only the TMA can");
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
  const LatencyRequest request{.method = static_cast<Method>(number(experiment, "method", 0, 3)),
                               .direction = static_cast<Direction>(number(experiment, "direction", 0, 1)),
                               .tile = number(experiment, "tile", row_bytes, largest_tile),
                               .rounds = number(experiment, "rounds", 1, most_repeats),
                               .trial = number(experiment, "trial", 0, most_repeats)};
  check_tile(request.method, request.tile);
  check_direction(request.method, request.direction);
  return request;
}
Arrays encode(const LatencyAnswer& answer) { return {{"cycles", answer.cycles}, {"done", answer.done}}; }
std::vector<LatencyAnswer> execute(const Session& session, std::span<const LatencyRequest> requests) {
  return run<LatencyAnswer>(session, requests, [](const Answer& answer) {
    const auto cycles = numbers<std::int64_t>(answer.arrays, "cycles");
    const auto done = numbers<std::int64_t>(answer.arrays, "done");
    if (cycles.empty() || cycles.size() != done.size()) {
      throw std::invalid_argument("arrays 'cycles' and 'done' are of no copies, or of different ones");
    }
    return LatencyAnswer{{cycles.begin(), cycles.end()}, {done.begin(), done.end()}};
  });
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
  const ThroughputRequest request{.method = static_cast<Method>(number(experiment, "method", 0, 3)),
                                  .direction = static_cast<Direction>(number(experiment, "direction", 0, 1)),
                                  .tile = number(experiment, "tile", row_bytes, largest_tile),
                                  .stages = number(experiment, "stages", 1, 8),
                                  .ctas_per_sm = number(experiment, "ctas_per_sm", 1, 16),
                                  .cluster = number(experiment, "cluster", 1, 16),
                                  .multicast = number(experiment, "multicast", 0, 1) == 1,
                                  .region = number(experiment, "region", largest_tile, most_bytes),
                                  .sm_bytes = number(experiment, "sm_bytes", largest_tile, most_bytes),
                                  .trial = number(experiment, "trial", 0, most_repeats)};
  check_tile(request.method, request.tile);
  check_direction(request.method, request.direction);
  if ((request.stages & (request.stages - 1)) != 0) {
    throw std::invalid_argument("parameter 'stages' is no power of two");
  }
  if (request.cluster > 1 && (request.method != Method::bulk || request.direction != Direction::load ||
                              request.tile % (16 * request.cluster) != 0)) {
    throw std::invalid_argument("parameter 'cluster' goes with bulk loads whose tile can be shared out");
  }
  return request;
}
Arrays encode(const ThroughputAnswer& answer) {
  return {{"ctas", answer.ctas}, {"cta_bytes", answer.cta_bytes}, {"nanoseconds", answer.nanoseconds}};
}
std::vector<ThroughputAnswer> execute(const Session& session, std::span<const ThroughputRequest> requests) {
  return run<ThroughputAnswer>(session, requests, [](const Answer& answer) {
    return ThroughputAnswer{first<std::int64_t>(answer, "ctas"), first<std::int64_t>(answer, "cta_bytes"),
                            first<double>(answer, "nanoseconds")};
  });
}

void expect_tma(const Session& session) {
  const auto capability = session.fact<std::string>("device.compute_capability");
  int major = 9;
  if (capability) std::from_chars(capability->data(), capability->data() + capability->size(), major);
  if (major < 9) throw Skip("device", "needs compute capability 9.0");
}

}  // namespace tomograph::tma
