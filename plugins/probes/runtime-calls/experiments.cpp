#include "experiments.hpp"

#include <limits>
#include <stdexcept>
#include <string>

#include "tomograph/scalars.hpp"

namespace tomograph::runtime_calls {

namespace {

/// Bound of kernels, runs, passes and trials, far beyond what the probes request.
constexpr std::int64_t most = 4096;

std::vector<double> times_in(const StartsRequest& request, const Answer& answer, const char* name) {
  auto times = list_of<double>(answer.arrays, name);
  if (times.size() == static_cast<std::size_t>(request.runs)) return times;
  throw std::invalid_argument("array '" + std::string(name) + "' has not one element for each run");
}

}  // namespace

Experiment encode(const StartsRequest& request) {
  return {starts_id,
          {{"graph", std::int64_t{request.graph ? 1 : 0}},
           {"held", std::int64_t{request.held ? 1 : 0}},
           {"kernels", request.kernels},
           {"runs", request.runs},
           {"trial", request.trial}}};
}
StartsRequest decode_starts(const Experiment& experiment) {
  return {.graph = scalar_in(experiment, "graph", 0, 1) == 1,
          .held = scalar_in(experiment, "held", 0, 1) == 1,
          .kernels = scalar_in(experiment, "kernels", 1, most),
          .runs = scalar_in(experiment, "runs", 1, most),
          .trial = scalar_in(experiment, "trial", 0, most)};
}
Arrays encode(const StartsAnswer& answer) {
  return {{"called", answer.called},
          {"first_seen", answer.first_seen},
          {"last_seen", answer.last_seen},
          {"synchronised", answer.synchronised}};
}
StartsAnswer decode_result(const StartsRequest& request, const Answer& answer) {
  return {.called = times_in(request, answer, "called"),
          .first_seen = times_in(request, answer, "first_seen"),
          .last_seen = times_in(request, answer, "last_seen"),
          .synchronised = times_in(request, answer, "synchronised")};
}

Experiment encode(const MovesRequest& request) {
  return {moves_id,
          {{"copies", std::int64_t{request.copies ? 1 : 0}},
           {"bytes", request.bytes},
           {"passes", request.passes},
           {"trial", request.trial}}};
}
MovesRequest decode_moves(const Experiment& experiment) {
  return {.copies = scalar_in(experiment, "copies", 0, 1) == 1,
          .bytes = scalar_in(experiment, "bytes", 1, std::numeric_limits<std::int64_t>::max()),
          .passes = scalar_in(experiment, "passes", 1, most),
          .trial = scalar_in(experiment, "trial", 0, most)};
}
Arrays encode(const MovesAnswer& answer) { return {{"elapsed", std::vector{answer.elapsed}}}; }
MovesAnswer decode_result(const MovesRequest& /*request*/, const Answer& answer) {
  return {scalar<double>(answer.arrays, "elapsed")};
}

}  // namespace tomograph::runtime_calls
