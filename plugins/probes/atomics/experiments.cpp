#include "experiments.hpp"

#include <bit>
#include <stdexcept>

#include "tomograph/scalars.hpp"

namespace tomograph::atomics {

namespace {

/// Bound of laps and trials, far beyond what the probes request.
constexpr std::int64_t most = 1 << 20;

std::size_t operation_in(const Experiment& experiment) {
  constexpr auto last = static_cast<std::int64_t>(operations.size()) - 1;
  return static_cast<std::size_t>(scalar_in(experiment, "operation", 0, last));
}

/// @throws std::invalid_argument unless there is such a reduction, its lanes are a power of two and its place exists.
void expect_possible(const ThroughputRequest& request) {
  if (!request.returns && !operations[request.operation].has_reduction) {
    throw std::invalid_argument("parameter 'returns' must be 1: there is no such reduction");
  }
  if (!std::has_single_bit(static_cast<std::uint64_t>(request.lanes_per_word))) {
    throw std::invalid_argument("parameter 'lanes_per_word' must be a power of two");
  }
  if (request.space == Space::shared && (request.place != Place::own || request.alone)) {
    throw std::invalid_argument("parameter 'place' or 'alone' must be 0: each SM has its own shared memory");
  }
  if (request.place == Place::own_lines && !request.alone) {
    throw std::invalid_argument("parameter 'alone' must be 1: the lines of all SMs do not fit in L2");
  }
}

TimesAnswer answer_in(const Answer& answer) {
  TimesAnswer result{list_of<std::int64_t>(answer.arrays, "few"), list_of<std::int64_t>(answer.arrays, "many")};
  if (result.few.empty()) throw std::invalid_argument("array 'few' is empty");
  if (result.few.size() != result.many.size()) {
    throw std::invalid_argument("arrays 'few' and 'many' differ in their length");
  }
  return result;
}

}  // namespace

Experiment encode(const LatencyRequest& request) {
  return {latency_id,
          {{"space", static_cast<std::int64_t>(request.space)},
           {"operation", static_cast<std::int64_t>(request.operation)},
           {"laps", request.laps},
           {"trial", request.trial}}};
}
LatencyRequest decode_latency(const Experiment& experiment) {
  return {.space = enumerator_in(experiment, "space", Space::shared),
          .operation = operation_in(experiment),
          .laps = scalar_in(experiment, "laps", 1, most),
          .trial = scalar_in(experiment, "trial", 0, most)};
}

Experiment encode(const ThroughputRequest& request) {
  return {throughput_id,
          {{"space", static_cast<std::int64_t>(request.space)},
           {"operation", static_cast<std::int64_t>(request.operation)},
           {"returns", std::int64_t{request.returns ? 1 : 0}},
           {"place", static_cast<std::int64_t>(request.place)},
           {"lanes_per_word", request.lanes_per_word},
           {"warps", request.warps},
           {"alone", std::int64_t{request.alone ? 1 : 0}},
           {"laps", request.laps},
           {"trial", request.trial}}};
}
ThroughputRequest decode_throughput(const Experiment& experiment) {
  const ThroughputRequest request{.space = enumerator_in(experiment, "space", Space::shared),
                                  .operation = operation_in(experiment),
                                  .returns = scalar_in(experiment, "returns", 0, 1) == 1,
                                  .place = enumerator_in(experiment, "place", Place::one_line),
                                  .lanes_per_word = scalar_in(experiment, "lanes_per_word", 1, warp_lanes),
                                  .warps = scalar_in(experiment, "warps", 1, most_warps),
                                  .alone = scalar_in(experiment, "alone", 0, 1) == 1,
                                  .laps = scalar_in(experiment, "laps", 1, most),
                                  .trial = scalar_in(experiment, "trial", 0, most)};
  expect_possible(request);
  return request;
}

Arrays encode(const TimesAnswer& answer) { return {{"few", answer.few}, {"many", answer.many}}; }
TimesAnswer decode_result(const LatencyRequest& /*request*/, const Answer& answer) { return answer_in(answer); }
TimesAnswer decode_result(const ThroughputRequest& /*request*/, const Answer& answer) { return answer_in(answer); }

}  // namespace tomograph::atomics
