#include "cuda/chase/instrument.hpp"

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "cuda/chase/program_layout.hpp"
#include "tomograph/parallel.hpp"

namespace tomograph::cuda {

namespace {

Answer refusal(tomograph_status status, std::string reason) { return {{}, status, std::move(reason)}; }

/// The program of an experiment, or a refusal.
std::variant<chase::Program, Answer> accept(const Experiment& experiment, const Executor& executor) {
  try {
    chase::Program program = chase::decode(experiment);
    if (auto why = chase::violation(program)) return refusal(TOMOGRAPH_INVALID, std::move(*why));
    if (auto why = shortage(program, executor.limits())) return refusal(TOMOGRAPH_UNSUPPORTED, std::move(*why));
    if (auto why = impossibility(program, executor.limits())) return refusal(TOMOGRAPH_INVALID, std::move(*why));
    const bool aliased =
        std::ranges::any_of(program.arrays, [](const auto& array) { return array.alias != chase::no_alias; });
    if (aliased && executor.alias_obstacle()) return refusal(TOMOGRAPH_UNSUPPORTED, *executor.alias_obstacle());
    return program;
  } catch (const std::invalid_argument& error) {
    return refusal(TOMOGRAPH_INVALID, error.what());
  }
}

/// Experiments of a batch that one thread decodes and checks. To start a thread takes as long as a few of them.
constexpr std::size_t experiments_of_a_thread = 16;

/// What `accept` says of each experiment. The GPU waits for it, so all processors decode and check.
std::vector<std::variant<chase::Program, Answer>> accept_all(std::span<const Experiment> batch,
                                                             const Executor& executor) {
  std::vector<std::variant<chase::Program, Answer>> accepted(batch.size());
  in_parallel(batch.size(), experiments_of_a_thread, [&](std::size_t i) { accepted[i] = accept(batch[i], executor); });
  return accepted;
}

/// The host executes a long program alone, or with its predecessor, if it was disturbed before.
constexpr std::size_t few = 2;

/// Gaps in code are noticed only if they are long.
tomograph_disturbance disturbance(std::uint32_t end, bool has_code) {
  if ((end & PartEnd::timed_gap) != 0) return TOMOGRAPH_TIMES_DISTURBED;
  if ((end & PartEnd::gap) != 0) return TOMOGRAPH_WARM_UP_DISTURBED;
  return end == PartEnd::done && !has_code ? TOMOGRAPH_UNDISTURBED : TOMOGRAPH_PERHAPS_DISTURBED;
}

}  // namespace

Chase::Chase(const Session& session, int device, Arena& arena, NeighbourMonitor& monitor)
    : executor_(device, arena), overhead_(measure_overhead(executor_)), monitor_(&monitor) {
  for (const auto& [path, overhead] : overhead_.paths) {
    session.log(TOMOGRAPH_DEBUG, "load path " + std::to_string(static_cast<int>(path)) + ": timing one load adds " +
                                     std::to_string(overhead.each) + " cycles, timing a phase " +
                                     std::to_string(overhead.total));
  }
}

std::vector<Answer> Chase::execute(std::span<const Experiment> batch) {
  std::vector<Answer> answers(batch.size());
  std::vector<chase::Program> programs;
  std::vector<std::size_t> positions;
  auto accepted = accept_all(batch, executor_);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (auto* refused = std::get_if<Answer>(&accepted[i])) {
      answers[i] = std::move(*refused);
    } else {
      programs.push_back(std::get<chase::Program>(std::move(accepted[i])));
      positions.push_back(i);
    }
  }
  // What is executed alone begins with a turn: the next turn shall not interrupt it at the same place again.
  if (programs.size() <= few && monitor_->has_seen_turns()) executor_.delay_next(monitor_->part_of_a_slice());
  std::vector<Outcome> outcomes = executor_.run(programs);
  ArrayMemory memory;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    Outcome& outcome = outcomes[i];
    if (outcome.failure) {
      answers[positions[i]] = refusal(outcome.status, std::move(*outcome.failure));
      continue;
    }
    const PathOverhead overhead = overhead_.of(programs[i]);
    outcome.result.overhead_each = overhead.each;
    outcome.result.overhead_total = overhead.total;
    answers[positions[i]].arrays = chase::encode(outcome.result, memory);
    answers[positions[i]].disturbance = disturbance(outcome.end, has_code(programs[i]));
    if ((outcome.end & (PartEnd::gap | PartEnd::timed_gap)) != 0) monitor_->suspect();
  }
  return answers;
}

}  // namespace tomograph::cuda
