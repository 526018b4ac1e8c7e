#include "cuda/l2_lines/timed_loads.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tomograph::cuda {

l2_lines::LoadsResult L2Loads::run(const l2_lines::Loads& program) {
  if (program.sm >= memory_->sm_count()) {
    throw std::invalid_argument("the program names an SM that the device does not have");
  }
  if (!memory_->can_discard()) throw Refused(TOMOGRAPH_UNSUPPORTED, "no instruction of this GPU discards lines of L2");
  memory_->provide(program.memory);
  const cudaStream_t stream = memory_->stream();
  const std::vector<std::uint32_t> lines(program.lines.begin(), program.lines.end());
  lines_.send(lines, stream);
  steps_.clear(program.steps(), stream);
  clock_.clear(1, stream);
  const TimedLoadsTask task{.base = memory_->base(),
                            .line_size = static_cast<std::uint64_t>(program.memory.line_size),
                            .lines = lines_.data(),
                            .steps = steps_.data(),
                            .clock = clock_.data(),
                            .step_count = static_cast<std::uint32_t>(program.steps()),
                            .width = static_cast<std::uint32_t>(program.width),
                            .apart = static_cast<std::int32_t>(program.apart.value_or(-1)),
                            .page_mask = static_cast<std::uint32_t>(program.memory.lines_per_page() - 1),
                            .rest = static_cast<std::uint32_t>(program.rest),
                            .seed = static_cast<std::uint32_t>(program.trial) + 1,
                            .sm = static_cast<std::uint32_t>(program.sm),
                            .sms = memory_->sm_count()};
  check(launch_timed_loads(task, memory_->all_shared(0), stream), "launching a kernel");
  const LoadsClock clock = clock_.fetch(stream).front();
  if (clock.cycles == 0) throw std::runtime_error("no CTA came to the SM; other processes may use the device");
  l2_lines::LoadsResult result;
  const auto overhead = static_cast<std::uint32_t>(std::lround(overhead_));
  for (const TimedStep& step : steps_.fetch(stream)) {
    result.start.push_back(static_cast<std::int64_t>(step.start));
    result.latency.push_back(std::max(step.latency, overhead) - overhead);
  }
  result.seconds = static_cast<double>(clock.nanoseconds) / 1e9;
  result.cycles = static_cast<std::int64_t>(clock.cycles);
  return result;
}

std::vector<Answer> L2Loads::execute(std::span<const Experiment> batch) {
  return answer_each(batch, [this](const Experiment& experiment) {
    const auto program = l2_lines::decode_loads(experiment);
    if (const auto why = violation(program)) throw std::invalid_argument(*why);
    return encode(run(program));
  });
}

}  // namespace tomograph::cuda
