#include "experiments.hpp"

#include <stdexcept>

#include "bodies/workload.hpp"
#include "tomograph/scalars.hpp"

namespace tomograph::workloads {

namespace {

constexpr std::int64_t most_repetitions = 1024;

}  // namespace

Experiment encode(const RunRequest& request) {
  return {run_id, {{"workload", request.workload}, {"repetitions", request.repetitions}}};
}

RunRequest decode_run(const Experiment& experiment) {
  return {.workload = scalar_in(experiment, "workload", 0, std::ssize(all_workloads()) - 1),
          .repetitions = scalar_in(experiment, "repetitions", 1, most_repetitions)};
}

Arrays encode(const RunAnswer& answer) {
  return {{"wrong", answer.wrong},
          {"ctas_per_sm", answer.ctas_per_sm},
          {"elapsed_ns", answer.elapsed_ns},
          {"clock_hz", answer.clock_hz}};
}

RunAnswer decode_result(const RunRequest& request, const Answer& answer) {
  RunAnswer decoded{.wrong = scalar<std::int64_t>(answer.arrays, "wrong"),
                    .ctas_per_sm = scalar<std::int64_t>(answer.arrays, "ctas_per_sm"),
                    .elapsed_ns = list_of<double>(answer.arrays, "elapsed_ns"),
                    .clock_hz = list_of<double>(answer.arrays, "clock_hz")};
  const auto expected = static_cast<std::size_t>(request.repetitions);
  if (decoded.elapsed_ns.size() != expected || decoded.clock_hz.size() != expected) {
    throw std::invalid_argument("the times of a workload do not fit its repetitions");
  }
  return decoded;
}

}  // namespace tomograph::workloads
