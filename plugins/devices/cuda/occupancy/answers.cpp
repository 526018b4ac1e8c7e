#include "cuda/occupancy/answers.hpp"

#include "tomograph/instrument.hpp"

namespace tomograph::cuda {

std::vector<Answer> answer_with_runs(SmRunner& runner, std::span<const Experiment> batch,
                                     const std::function<CountedKernel(const Experiment&)>& accept) {
  std::vector<SmRequest> requests;
  std::vector<std::int64_t> instructions;
  std::vector<Answer> answers = answer_each(batch, [&](const Experiment& experiment) {
    CountedKernel accepted = accept(experiment);
    requests.push_back(std::move(accepted.request));
    instructions.push_back(accepted.instructions);
    return Arrays{};
  });
  std::vector<std::vector<SmRun>> runs = runner.run(requests);
  std::size_t next = 0;
  for (Answer& answer : answers) {
    if (answer.status != TOMOGRAPH_OK) continue;
    answer.arrays = encode(SmRuns{std::move(runs[next]), instructions[next]});
    ++next;
  }
  return answers;
}

}  // namespace tomograph::cuda
