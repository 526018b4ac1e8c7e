#include "cuda/chase/loads.cuh"
#include "cuda/l2_lines/timed_loads_kernel.hpp"
#include "tomograph/cuda/launch.hpp"

namespace tomograph::cuda {

namespace {

/// The next of a sequence of pseudo-random numbers (Marsaglia 2003, "Xorshift RNGs").
__device__ std::uint32_t next_random(std::uint32_t& state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

__device__ std::uint64_t address_of(const TimedLoadsTask& task, std::uint32_t line) {
  return task.base + line * task.line_size;
}

/// Brings the translation of a line's page: loads the first line of the page.
__device__ void load_first_of_page(const TimedLoadsTask& task, std::uint32_t line) {
  std::uint64_t node = address_of(task, line & ~task.page_mask);
  GlobalCg::follow(node, 0);
  wait_for(node);
}

/// Makes a line leave the L2, so that its next load misses (PTX ISA, "discard").
__device__ void discard(std::uint64_t address) {
#if __CUDA_ARCH__ >= 800
  constexpr std::uint64_t size = 128;  // of all that the instruction discards
  asm volatile("discard.global.L2 [%0], 128;" ::"l"(address / size * size) : "memory");
#endif
}

__device__ void rest_until(std::uint64_t time) {
  while (sm_cycles() < time) {
  }
}

/// Loads one address, or two at once. The condition must become a predicate: a branch between the loads takes 30 cycles
/// on an H200, which hides conflicts. Starts count from the SM's clock, here and below.
__device__ TimedStep time_at_once(std::uint64_t node, std::uint64_t second, std::uint32_t width) {
  const std::uint64_t start = sm_cycles();
  GlobalCg::follow(node, 0);
  if (width == 2) {
    GlobalCg::follow(second, 0);
    node |= second;
  }
  return {start, static_cast<std::uint32_t>(clock_after(node) - start)};
}

/// Loads an address, so many cycles later another, and times the second.
__device__ TimedStep time_second(std::uint64_t node, std::uint64_t second, std::int32_t apart) {
  const std::uint64_t begin = sm_cycles();
  GlobalCg::follow(node, 0);
  if (apart > 0) rest_until(begin + static_cast<std::uint64_t>(apart));
  const std::uint64_t start = sm_cycles();
  GlobalCg::follow(second, 0);
  const auto latency = static_cast<std::uint32_t>(clock_after(second) - start);
  wait_for(node);
  return {start, latency};
}

__global__ void __launch_bounds__(32) time_loads(TimedLoadsTask task) {
  if (sm_id() != task.sm || threadIdx.x != 0) return;
  std::uint32_t random = task.seed;
  const std::uint64_t nanoseconds_before = device_nanoseconds();
  const std::uint64_t begin = sm_cycles();
  for (std::uint32_t step = 0; step < task.step_count; ++step) {
    const std::uint32_t* const lines = task.lines + step * task.width;
    const std::uint32_t one = lines[0];
    const std::uint32_t other = lines[task.width - 1];
    std::uint64_t node = address_of(task, one);
    std::uint64_t second = address_of(task, other);
    discard(node);
    discard(second);
    load_first_of_page(task, one);
    load_first_of_page(task, other);
    rest_until(sm_cycles() + next_random(random) % task.rest);
    const TimedStep timed =
        task.apart < 0 ? time_at_once(node, second, task.width) : time_second(node, second, task.apart);
    task.steps[step] = {timed.start - begin, timed.latency};
  }
  *task.clock = {sm_cycles() - begin, device_nanoseconds() - nanoseconds_before};
}

}  // namespace

cudaError_t launch_timed_loads(const TimedLoadsTask& task, std::uint32_t shared, cudaStream_t stream) {
  return prepare_and_launch(time_loads, {.ctas = task.sms, .threads = 32, .dynamic_shared = shared, .stream = stream},
                            task);
}

}  // namespace tomograph::cuda
