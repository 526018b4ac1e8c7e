#include "cuda/chase/loads.cuh"
#include "cuda/l2_lines/eviction_kernel.hpp"
#include "tomograph/cuda/launch.hpp"
#include "tomograph/cuda/meeting.cuh"

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

/// Calls `visit` with the number of each target of a share, and its line.
template <typename Visit>
__device__ void for_each_target(const LineRun* runs, const Share& share, Visit visit) {
  std::uint32_t start = 0;  // number of the run's first target
  std::uint32_t target = share.begin;
  for (; target < share.end; ++runs) {
    for (; target < share.end && target - start < runs->count; ++target) visit(target, runs->first + (target - start));
    start += runs->count;
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
  for_each_target(runs, share, [&](std::uint32_t target, std::uint32_t line) {
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
    for (std::uint32_t i = 0; i < runs[run].count; ++i) {
      load_line(task, (runs[run].first + i) * task.step & task.line_mask);
    }
  }
}

/// Thread `own` of `all` loads each place whose number, counted over all runs, is its own modulo `all`.
__device__ void walk_share(const EvictionTask& task, const LineRun* runs, std::uint32_t count, std::uint32_t own,
                           std::uint32_t all) {
  std::uint32_t sum = 0;
  std::uint32_t next = own;  // the thread's next place, counted from the start of the run
  for (std::uint32_t run = 0; run < count; ++run) {
    const std::uint32_t places = runs[run].count;
#pragma unroll 4
    for (; next < places; next += all) {
      const std::uint32_t line = (runs[run].first + next) * task.step & task.line_mask;
      std::uint32_t value;
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(address_of(task, line)));
      sum |= value;
    }
    next -= places;
  }
  // The memory holds zeros: a wait for all loads.
  if (sum != 0) asm volatile("trap;");
}

__device__ void copy(const LineRun* from, std::uint32_t count, LineRun* to) {
  for (std::uint32_t i = threadIdx.x; i < count; i += threads) to[i] = from[i];
}

__global__ void __launch_bounds__(threads) test_evictions(EvictionTask task) {
  __shared__ LineRun targets[most_runs];
  __shared__ LineRun walk[most_runs];
  __shared__ bool all_started;
  const std::uint32_t sm = sm_id();
  if (threadIdx.x == 0) all_started = meet(&task.counts->started, gridDim.x, placement_cycles);
  __syncthreads();
  const std::int32_t observer = sm < task.sms ? task.observers[sm] : -1;
  const std::int32_t walker = sm < task.sms ? task.walkers[sm] : -1;
  if (!all_started || (observer < 0 && walker < 0)) return;
  std::uint32_t meetings = 0;
  const bool leads = threadIdx.x % 32 == 0;
  for (std::uint32_t number = 0; number < task.test_count; ++number) {
    const EvictionTestTask test = task.tests[number];
    copy(task.target_runs + test.first_target_run, test.target_runs, targets);
    copy(task.walk_runs + test.first_walk_run, test.walk_runs, walk);
    __syncthreads();
    const Share share = observer >= 0 && leads
                            ? share_of(test.targets, task.observer_count * warps,
                                       static_cast<std::uint32_t>(observer) * warps + threadIdx.x / 32)
                            : Share{0, 0};
    for (std::uint32_t load = 0; load < 2; ++load) {
      for_each_target(targets, share, [&](std::uint32_t, std::uint32_t line) { load_line(task, line); });
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
    time_targets(task, test, targets, share);
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
