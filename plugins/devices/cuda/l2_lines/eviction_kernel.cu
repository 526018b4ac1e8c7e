#include "cuda/chase/loads.cuh"
#include "cuda/chase/rendezvous.cuh"
#include "cuda/l2_lines/eviction_kernel.hpp"
#include "cuda/l2_lines/starting.cuh"
#include "tomograph/cuda/launch.hpp"

namespace tomograph::cuda {

namespace {

constexpr std::uint32_t threads = 256;
constexpr std::uint32_t warps = threads / 32;

/// The part of a test's targets that one warp loads.
struct Share {
  std::uint32_t begin;
  std::uint32_t end;
};

__device__ Share share_of(std::uint32_t targets, std::uint32_t parts, std::uint32_t part) {
  const std::uint32_t size = (targets + parts - 1) / parts;
  const std::uint32_t begin = min(part * size, targets);
  return {begin, min(begin + size, targets)};
}

/// The run that holds a number. All threads of a warp search at once, so what they load next overlaps.
__device__ std::uint32_t run_of(const LineRun* runs, std::uint32_t count, std::uint32_t number) {
  std::uint32_t run = 0;
  while (count > 1) {
    const std::uint32_t half = count / 2;
    if (runs[run + half].number <= number) run += half;
    count -= half;
  }
  return run;
}

/// Calls `visit` with the numbers of targets of a share, and their lines: each `all`-th from the one numbered `own`.
template <typename Visit>
__device__ void for_each_target(const LineRun* runs, std::uint32_t count, const Share& share, std::uint32_t own,
                                std::uint32_t all, Visit visit) {
  std::uint32_t target = share.begin + own;
  if (target >= share.end) return;
  std::uint32_t run = run_of(runs, count, target);
  for (; target < share.end; target += all) {
    while (target >= runs[run + 1].number) ++run;
    visit(target, runs[run].first + (target - runs[run].number));
  }
}

/// Waits until all participants have come here as often as this one. `meetings` counts them.
__device__ void meet_all(const EvictionTask& task, std::uint32_t& meetings) {
  __syncthreads();
  if (threadIdx.x == 0) {
    ++meetings;
    atomicAdd(&task.counts->arrived, 1U);
    while (load_volatile(&task.counts->arrived) < meetings * task.participants) {
    }
  }
  __syncthreads();
}

__device__ std::uint64_t address_of(const EvictionTask& task, std::uint32_t line) {
  return task.base + line * task.line_size;
}

/// Returns once the line has arrived. The assembler drops loads of which nothing is used.
__device__ void load_line(const EvictionTask& task, std::uint32_t line) {
  std::uint64_t node = address_of(task, line);
  GlobalCg::follow(node, 0);
  wait_for(node);
}

/// The first load from a page is not timed but brings its translation. It goes to the page's first line.
__device__ void time_targets(const EvictionTask& task, const EvictionTestTask& test, const LineRun* runs,
                             const Share& share) {
  std::uint32_t page = ~0U;
  for_each_target(runs, test.target_runs, share, 0, 1, [&](std::uint32_t target, std::uint32_t line) {
    if ((line & ~task.page_mask) != page) {
      page = line & ~task.page_mask;
      load_line(task, page);
    }
    std::uint64_t node = address_of(task, line);
    const std::uint32_t cycles = GlobalCg::follow_timed(node, 0);
    if (cycles <= task.limit) return;
    const std::uint32_t place = atomicAdd(&task.counts->late, 1U);
    if (place < task.late_room) task.late[place] = {test.first_target + target, cycles};
  });
}

__device__ void walk_in_order(const EvictionTask& task, const LineRun* runs, std::uint32_t count) {
  for (std::uint32_t run = 0; run < count; ++run) {
    const std::uint32_t places = runs[run + 1].number - runs[run].number;
    for (std::uint32_t i = 0; i < places; ++i) load_line(task, (runs[run].first + i) * task.step & task.line_mask);
  }
}

/// Thread `own` of `all` loads each place whose number is its own modulo `all`.
__device__ void walk_share(const EvictionTask& task, const LineRun* runs, std::uint32_t count, std::uint32_t own,
                           std::uint32_t all) {
  std::uint32_t sum = 0;
  std::uint32_t run = run_of(runs, count, own);
  for (std::uint32_t number = own; number < runs[count].number;) {
    while (number >= runs[run + 1].number) ++run;
    const std::uint32_t end = runs[run + 1].number;
    const std::uint32_t origin = runs[run].first - runs[run].number;
#pragma unroll 4
    for (; number < end; number += all) {
      const std::uint32_t line = (origin + number) * task.step & task.line_mask;
      std::uint32_t value;
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(address_of(task, line)));
      sum |= value;
    }
  }
  // The memory holds zeros: a wait for all loads.
  if (sum != 0) asm volatile("trap;");
}

/// Copies runs and the end of their numbers.
__device__ void copy(const LineRun* from, std::uint32_t count, LineRun* to) {
  for (std::uint32_t i = threadIdx.x; i <= count; i += threads) to[i] = from[i];
}

__global__ void __launch_bounds__(threads) test_evictions(EvictionTask task) {
  __shared__ LineRun targets[most_runs + 1];
  __shared__ LineRun walk[most_runs + 1];
  __shared__ bool all_started;
  const std::uint32_t sm = sm_id();
  if (threadIdx.x == 0) all_started = start_together(&task.counts->started);
  __syncthreads();
  const std::int32_t observer = sm < task.sms ? task.observers[sm] : -1;
  const std::int32_t walker = sm < task.sms ? task.walkers[sm] : -1;
  if (!all_started || (observer < 0 && walker < 0)) return;
  std::uint32_t meetings = 0;
  const std::uint32_t lane = threadIdx.x % 32;
  for (std::uint32_t number = 0; number < task.test_count; ++number) {
    const EvictionTestTask test = task.tests[number];
    copy(task.target_runs + test.first_target_run, test.target_runs, targets);
    copy(task.walk_runs + test.first_walk_run, test.walk_runs, walk);
    __syncthreads();
    const Share share = observer >= 0 ? share_of(test.targets, task.observer_count * warps,
                                                 static_cast<std::uint32_t>(observer) * warps + threadIdx.x / 32)
                                      : Share{0, 0};
    for (std::uint32_t load = 0; load < 2; ++load) {
      for_each_target(targets, test.target_runs, share, lane, 32,
                      [&](std::uint32_t, std::uint32_t line) { load_line(task, line); });
    }
    meet_all(task, meetings);
    for (std::uint32_t i = 0; i < task.walks && walker >= 0; ++i) {
      if (task.walker_count > 1) {
        walk_share(task, walk, test.walk_runs, static_cast<std::uint32_t>(walker) * threads + threadIdx.x,
                   task.walker_count * threads);
      } else if (threadIdx.x == 0) {
        walk_in_order(task, walk, test.walk_runs);
      }
    }
    meet_all(task, meetings);
    if (lane == 0) time_targets(task, test, targets, share);
    meet_all(task, meetings);
  }
  if (threadIdx.x == 0) atomicAdd(&task.counts->finished, 1U);
}

}  // namespace

cudaError_t launch_evictions(const EvictionTask& task, std::uint32_t shared, cudaStream_t stream) {
  return prepare_and_launch(test_evictions,
                            {.ctas = task.sms, .threads = threads, .dynamic_shared = shared, .stream = stream}, task);
}

}  // namespace tomograph::cuda
