#include "experiments.hpp"

#include <charconv>
#include <stdexcept>

namespace tomograph::dsmem {

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
std::vector<T> list(const Answer& answer, const char* name) {
  const auto values = numbers<T>(answer.arrays, name);
  return {values.begin(), values.end()};
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

constexpr std::int64_t largest_size = 64;
constexpr std::int64_t most_repeats = 1 << 20;

}  // namespace

Experiment encode(const ClustersRequest& request) { return {clusters_id, {{"size", request.size}}}; }
ClustersRequest decode_clusters(const Experiment& experiment) {
  return {.size = number(experiment, "size", 1, largest_size)};
}
Arrays encode(const ClustersAnswer& answer) { return {{"resident", answer.resident}, {"seen_size", answer.seen_size}}; }
std::vector<ClustersAnswer> execute(const Session& session, std::span<const ClustersRequest> requests) {
  return run<ClustersAnswer>(session, requests, [](const Answer& answer) {
    return ClustersAnswer{first<std::int64_t>(answer, "resident"), list<std::int64_t>(answer, "seen_size")};
  });
}

Experiment encode(const LatencyRequest& request) {
  return {latency_id, {{"size", request.size}, {"loads", request.loads}, {"trial", request.trial}}};
}
LatencyRequest decode_latency(const Experiment& experiment) {
  return {.size = number(experiment, "size", 1, largest_size),
          .loads = number(experiment, "loads", 16, most_repeats),
          .trial = number(experiment, "trial", 0, most_repeats)};
}
Arrays encode(const LatencyAnswer& answer) { return {{"sm", answer.sm}, {"cycles", answer.cycles}}; }
std::vector<LatencyAnswer> execute(const Session& session, std::span<const LatencyRequest> requests) {
  return run<LatencyAnswer>(session, requests, [](const Answer& answer) {
    return LatencyAnswer{list<std::int64_t>(answer, "sm"), list<double>(answer, "cycles")};
  });
}

Experiment encode(const HandoverRequest& request) {
  return {handover_id,
          {{"space", static_cast<std::int64_t>(request.space)}, {"rounds", request.rounds}, {"trial", request.trial}}};
}
HandoverRequest decode_handover(const Experiment& experiment) {
  return {.space = static_cast<Space>(number(experiment, "space", 0, 1)),
          .rounds = number(experiment, "rounds", 1, most_repeats),
          .trial = number(experiment, "trial", 0, most_repeats)};
}
Arrays encode(const HandoverAnswer& answer) { return {{"cycles", answer.cycles}}; }
std::vector<HandoverAnswer> execute(const Session& session, std::span<const HandoverRequest> requests) {
  return run<HandoverAnswer>(session, requests,
                             [](const Answer& answer) { return HandoverAnswer{list<double>(answer, "cycles")}; });
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
  const ThroughputRequest request{.size = number(experiment, "size", 2, largest_size),
                                  .operation = static_cast<Operation>(number(experiment, "operation", 0, 2)),
                                  .partner = static_cast<Partner>(number(experiment, "partner", 0, 4)),
                                  .space = static_cast<Space>(number(experiment, "space", 0, 1)),
                                  .width = number(experiment, "width", 4, 16),
                                  .passes = number(experiment, "passes", 1, most_repeats),
                                  .trial = number(experiment, "trial", 0, most_repeats)};
  if (request.width != 4 && (request.width != 16 || request.operation == Operation::atomic)) {
    throw std::invalid_argument("parameter 'width' is neither 4 nor, for loads and stores, 16");
  }
  return request;
}
Arrays encode(const ThroughputAnswer& answer) {
  return {{"pass_bytes", answer.pass_bytes}, {"cycles", answer.cycles}, {"nanoseconds", answer.nanoseconds}};
}
std::vector<ThroughputAnswer> execute(const Session& session, std::span<const ThroughputRequest> requests) {
  return run<ThroughputAnswer>(session, requests, [](const Answer& answer) {
    return ThroughputAnswer{first<std::int64_t>(answer, "pass_bytes"), list<double>(answer, "cycles"),
                            first<double>(answer, "nanoseconds")};
  });
}

void expect_clusters(const Session& session) {
  const auto capability = session.fact<std::string>("device.compute_capability");
  int major = 9;
  if (capability) std::from_chars(capability->data(), capability->data() + capability->size(), major);
  if (major < 9) throw Skip("device", "needs compute capability 9.0");
}

}  // namespace tomograph::dsmem
