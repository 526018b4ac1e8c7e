#include "sim/kernel/steady_state.hpp"

#include <algorithm>
#include <variant>

namespace tomograph::sim::timed {

namespace {

/// Simulated at least, and lines loaded at least, in those of the L2. The first half of the run fills queues and L2;
/// the section begins there, and ends an eighth before warps do. Chosen so that cycles are within 1 % of those of the
/// whole loop (tests/plugins/devices/sim/steady_state_test.cpp): with half as many, they are within 2 %.
constexpr std::int64_t fewest_iterations = 8;
constexpr std::int64_t loaded_in_l2 = 8;

bool is_random_load(const kernel::Step& step) {
  return step.operation == kernel::Operation::load && std::holds_alternative<kernel::Hash>(step.access->pattern);
}

std::int64_t lines_of_load(const kernel::Step& step, std::int64_t line_bytes) {
  const std::int64_t group = std::get<kernel::Hash>(step.access->pattern).group;
  const std::int64_t lines_of_block = (group * step.access->element + line_bytes - 1) / line_bytes;
  return (step.lanes + group - 1) / group * lines_of_block;
}

/// Of all warps; 0 if the kernel does anything else than random loads, or more CTAs than run at once.
std::int64_t random_lines_of_iteration(const kernel::Kernel& kernel, std::int64_t line_bytes) {
  if (kernel.ctas != kernel.ctas_per_sm * std::ssize(kernel.sms)) return 0;
  std::int64_t lines = 0;
  for (const kernel::Step& step : kernel.loop) {
    if (!step.access) continue;
    if (!is_random_load(step)) return 0;
    lines += lines_of_load(step, line_bytes);
  }
  return lines * kernel.ctas * kernel.warps;
}

std::int64_t instructions_of_iteration(const kernel::Kernel& kernel) {
  return kernel.ctas_per_sm * kernel.warps * kernel::instructions_per_iteration(kernel);
}

}  // namespace

std::int64_t iterations_to_simulate(const Gpu& gpu, const kernel::Kernel& kernel) {
  const std::int64_t lines = random_lines_of_iteration(kernel, gpu.l2.cache.line_size);
  if (lines == 0 || kernel.timed >= 0) return kernel.iterations;
  const std::int64_t wanted = loaded_in_l2 * gpu.l2.cache.lines() * gpu.l2.partitions / lines + 1;
  const std::int64_t enough = std::max(fewest_iterations, wanted);
  return 2 * enough > kernel.iterations ? kernel.iterations : enough;
}

KernelRun::Section steady_section(const kernel::Kernel& kernel) {
  const std::int64_t instructions = instructions_of_iteration(kernel);
  return {instructions * (kernel.iterations / 2), instructions * (kernel.iterations - kernel.iterations / 8)};
}

KernelTimes extended(KernelTimes times, const kernel::Kernel& kernel, std::int64_t iterations) {
  const KernelRun::Section section = steady_section(kernel);
  const double sections = static_cast<double>((iterations - kernel.iterations) * instructions_of_iteration(kernel)) /
                          static_cast<double>(section.end - section.begin);
  for (std::size_t i = 0; i < times.cycles.size(); ++i) {
    times.cycles[i] += round_up(sections * static_cast<double>(times.section_cycles[i]));
  }
  times.instructions = times.instructions / kernel.iterations * iterations;
  return times;
}

}  // namespace tomograph::sim::timed
