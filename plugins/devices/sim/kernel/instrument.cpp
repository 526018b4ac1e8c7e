#include "sim/kernel/instrument.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>

#include "sim/kernel/simulation.hpp"
#include "sim/kernel/steady_state.hpp"
#include "tomograph/kernel/kernel_trace.hpp"

namespace tomograph::sim {

namespace {

/// Where the timed load stands in the list of an iteration; -1 if there is none.
std::int64_t timed_position(const kernel::Kernel& kernel) {
  if (kernel.timed < 0) return -1;
  std::int64_t position = 0;
  for (std::int64_t k = 0; k < kernel.timed; ++k) {
    const kernel::Step& step = kernel.loop[static_cast<std::size_t>(k)];
    position += step.count + kernel::address_instructions(step);
  }
  return position + kernel::address_instructions(kernel.loop[static_cast<std::size_t>(kernel.timed)]);
}

timed::KernelTimes simulated(const Gpu& gpu, kernel::Kernel kernel) {
  if (kernel.sms.empty()) {
    kernel.sms.resize(static_cast<std::size_t>(gpu.sm_count));
    std::iota(kernel.sms.begin(), kernel.sms.end(), std::int64_t{0});
  }
  const std::int64_t iterations = std::exchange(kernel.iterations, timed::iterations_to_simulate(gpu, kernel));
  const kernel::KernelTrace trace("kernel", kernel);
  const bool is_part = kernel.iterations < iterations;
  auto times = timed::simulate(gpu, {.trace = &trace,
                                     .sms = kernel.sms,
                                     .warm_passes = kernel.warm_passes,
                                     .carveout = kernel.carveout,
                                     .timed_position = timed_position(kernel),
                                     .timed_period = kernel::instructions_per_iteration(kernel),
                                     .section = is_part ? timed::steady_section(kernel) : timed::KernelRun::Section{}});
  return is_part ? timed::extended(std::move(times), kernel, iterations) : times;
}

kernel::Result run(const Gpu& gpu, const kernel::Kernel& kernel) {
  const timed::KernelTimes times = simulated(gpu, kernel);
  const double clock = static_cast<double>(gpu.sm_clock_mhz) * 1e6;
  return {.elapsed_ns = static_cast<double>(times.longest()) / clock * 1e9,
          .cycles = {times.cycles.begin(), times.cycles.end()},
          .clock_hz = clock,
          .latency = times.timed_latency,
          .instructions = times.instructions};
}

/// The same kernel as that of another trial: without the trial, and with the first seed 0. What seeds have in common,
/// as two loads of the same blocks, stays.
kernel::Kernel without_trial(kernel::Kernel kernel) {
  kernel.trial = 0;
  std::optional<std::int64_t> first;
  for (kernel::Step& step : kernel.loop) {
    auto* random = step.access ? std::get_if<kernel::Hash>(&step.access->pattern) : nullptr;
    if (random == nullptr) continue;
    if (!first) first = random->seed;
    random->seed = (random->seed - *first) & 0xffffffff;  // seeds have 32 bits
  }
  return kernel;
}

}  // namespace

kernel::Result KnownKernels::result(const Gpu& gpu, kernel::Kernel kernel) {
  kernel = without_trial(std::move(kernel));
  std::packaged_task<kernel::Result()> task([&] { return run(gpu, kernel); });
  std::unique_lock lock(mutex_);
  const auto same = std::ranges::find(known_, kernel, &Known::kernel);
  const bool is_new = same == known_.end();
  if (is_new) known_.push_back({kernel, task.get_future().share()});
  const auto result = is_new ? known_.back().result : same->result;
  lock.unlock();
  if (is_new) task();
  return result.get();
}

std::string_view Kernels::id() const { return TOMOGRAPH_KERNEL_ID; }

std::vector<Answer> Kernels::execute(std::span<const Experiment> batch) {
  return answer_each(batch, [this](const Experiment& experiment) {
    const kernel::Kernel kernel = kernel::decode(experiment);
    if (const auto broken = kernel::violation(kernel)) throw std::invalid_argument(to_string(*broken));
    return kernel::encode(known_->result(gpu_, kernel));
  });
}

}  // namespace tomograph::sim
