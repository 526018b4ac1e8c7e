#include "experiments.hpp"

#include <stdexcept>

#include "bodies/workload.hpp"
#include "tomograph/scalars.hpp"

namespace tomograph::workloads {

namespace {

/// Limits of the formats: far more than any probe asks for, and no more than a GPU runs in seconds.
constexpr std::int64_t most_repetitions = 1024;
constexpr std::int64_t most_warps = 32;
constexpr std::int64_t most_wait_cycles = 1'000'000;
constexpr std::int64_t most_rounds = 256;

}  // namespace

Experiment encode(const LaunchRequest& request) {
  return {launch_id,
          {{"warps", request.warps},
           {"wait_cycles", request.wait_cycles},
           {"rounds", request.rounds},
           {"repetitions", request.repetitions}}};
}

LaunchRequest decode_launch(const Experiment& experiment) {
  return {.warps = scalar_in(experiment, "warps", 1, most_warps),
          .wait_cycles = scalar_in(experiment, "wait_cycles", 0, most_wait_cycles),
          .rounds = scalar_in(experiment, "rounds", 3, most_rounds),
          .repetitions = scalar_in(experiment, "repetitions", 1, most_repetitions)};
}

Arrays encode(const LaunchAnswer& answer) {
  return {{"ctas_per_sm", answer.ctas_per_sm}, {"rate", answer.rate}, {"turnover", answer.turnover}};
}

LaunchAnswer decode_result(const LaunchRequest& request, const Answer& answer) {
  LaunchAnswer decoded{.ctas_per_sm = scalar<std::int64_t>(answer.arrays, "ctas_per_sm"),
                       .rate = list_of<double>(answer.arrays, "rate"),
                       .turnover = list_of<double>(answer.arrays, "turnover")};
  const auto expected = static_cast<std::size_t>(request.repetitions);
  if (decoded.rate.size() != expected || decoded.turnover.size() != expected) {
    throw std::invalid_argument("the successions of CTAs do not fit their repetitions");
  }
  return decoded;
}

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
