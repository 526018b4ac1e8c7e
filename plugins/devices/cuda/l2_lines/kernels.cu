#include "cuda/chase/loads.cuh"
#include "cuda/l2_lines/kernels.hpp"
#include "tomograph/cuda/launch.hpp"
#include "tomograph/cuda/meeting.cuh"

namespace tomograph::cuda {

namespace {

constexpr std::uint32_t reducing_threads = 128;
/// Primes above `lines_at_a_time`: a step of so many lines, modulo their number, visits each of them once.
__constant__ std::uint32_t steps[] = {521, 691, 859, 1031};

/// Loads the lines once. `sample` receives their latencies unless it is null.
__device__ void load_round(const LatencyTask& task, const std::uint32_t* lines, std::uint32_t count,
                           std::uint32_t first, std::uint32_t step, std::uint16_t* sample) {
  std::uint32_t line = first % count;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint64_t node = task.base + lines[line] * task.line_size;
    const std::uint32_t cycles = GlobalCg::follow_timed(node, 0);
    if (sample != nullptr) sample[line] = static_cast<std::uint16_t>(min(cycles, 0xffffU));
    line = (line + step) % count;
  }
}

/// Mean of the middle half of `count` latencies, one every `lines_at_a_time`, which are sorted in place.
__device__ std::uint32_t middle_mean(std::uint16_t* sample, std::uint32_t count) {
  for (std::uint32_t i = 1; i < count; ++i) {
    const std::uint16_t one = sample[i * lines_at_a_time];
    std::uint32_t place = i;
    for (; place > 0 && sample[(place - 1) * lines_at_a_time] > one; --place) {
      sample[place * lines_at_a_time] = sample[(place - 1) * lines_at_a_time];
    }
    sample[place * lines_at_a_time] = one;
  }
  const std::uint32_t cut = count / 4;
  std::uint32_t sum = 0;
  for (std::uint32_t i = cut; i < count - cut; ++i) sum += sample[i * lines_at_a_time];
  const std::uint32_t used = count - 2 * cut;
  return min((sum * latency_units + used / 2) / used, 0xffffU);
}

__global__ void __launch_bounds__(reducing_threads) time_lines(LatencyTask task) {
  extern __shared__ std::uint16_t samples[];  // by round, then by line
  __shared__ std::uint32_t lines[lines_at_a_time];
  const std::uint32_t sm = sm_id();
  if (sm >= task.sms) return;
  if (threadIdx.x == 0) atomicAdd(task.claimed + sm, 1U);
  const std::int32_t rank = task.ranks[sm];
  const std::uint32_t groups = (task.count + lines_at_a_time - 1) / lines_at_a_time;
  const std::uint64_t begin = sm_cycles();
  for (std::uint32_t i = 0; i < groups; ++i) {
    const std::uint32_t first = (i + sm) % groups * lines_at_a_time;
    const std::uint32_t count = min(task.count - first, lines_at_a_time);
    for (std::uint32_t line = threadIdx.x; line < count; line += blockDim.x) lines[line] = task.lines[first + line];
    __syncthreads();
    if (threadIdx.x == 0) {
      load_round(task, lines, count, 0, 1, nullptr);
      for (std::uint32_t round = 0; round < task.rounds; ++round) {
        const std::uint32_t step = steps[(sm + round) % (sizeof(steps) / sizeof(*steps))];
        load_round(task, lines, count, sm * 97 + round * 131, step, samples + round * lines_at_a_time);
      }
    }
    __syncthreads();
    const std::uint32_t half = task.rounds / 2;
    for (std::uint32_t line = threadIdx.x; line < count && rank >= 0; line += blockDim.x) {
      const std::uint32_t early = middle_mean(samples + line, half);
      const std::uint32_t late = middle_mean(samples + half * lines_at_a_time + line, half);
      task.halves[static_cast<std::uint64_t>(rank) * task.count + first + line] = early << 16 | late;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0 && rank >= 0) task.cycles[rank] = sm_cycles() - begin;
}

__device__ std::uint32_t load_word(std::uint64_t address) {
  std::uint32_t value;
  asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(address));
  return value;
}

__device__ std::uint32_t add_zero(std::uint64_t address) {
  std::uint32_t value;
  asm volatile("atom.global.add.u32 %0, [%1], 0;" : "=r"(value) : "l"(address) : "memory");
  return value;
}

__global__ void __launch_bounds__(1024) contend(ContentionTask task) {
  constexpr std::uint32_t overlapping = 4;
  __shared__ std::uint32_t lines[largest_set];
  __shared__ bool all_started;
  for (std::uint32_t i = threadIdx.x; i < task.count; i += blockDim.x) lines[i] = task.lines[i];
  const std::uint32_t sm = sm_id();
  const bool works = sm < task.sms && task.ranks[sm] >= 0;
  __syncthreads();
  if (threadIdx.x == 0) all_started = meet(&task.times->started, gridDim.x, placement_cycles);
  __syncthreads();
  if (!all_started || !works) return;
  const std::uint64_t begin = sm_cycles();
  const std::uint32_t own_loads = task.atomic && threadIdx.x % 32 != 0 ? 0 : task.loads;
  std::uint32_t line = threadIdx.x / 32 % task.count;
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < own_loads; i += overlapping) {
    std::uint32_t values[overlapping];
#pragma unroll
    for (std::uint32_t k = 0; k < overlapping; ++k) {
      const std::uint64_t address = task.base + lines[line] * task.line_size;
      values[k] = i + k >= own_loads ? 0 : task.atomic ? add_zero(address) : load_word(address);
      line = line + 1 < task.count ? line + 1 : 0;
    }
#pragma unroll
    for (std::uint32_t k = 0; k < overlapping; ++k) sum |= values[k];
  }
  // The memory holds zeros: a wait for all loads.
  if (sum != 0) asm volatile("trap;");
  __syncthreads();
  if (threadIdx.x != 0) return;
  const auto cycles = static_cast<unsigned long long>(sm_cycles() - begin);
  atomicMax(reinterpret_cast<unsigned long long*>(&task.times->longest), cycles);
  atomicAdd(reinterpret_cast<unsigned long long*>(&task.times->total), cycles);
  atomicAdd(&task.times->finished, 1U);
}

}  // namespace

cudaError_t launch_latencies(const LatencyTask& task, std::uint32_t shared, cudaStream_t stream) {
  return prepare_and_launch(
      time_lines, {.ctas = task.sms, .threads = reducing_threads, .dynamic_shared = shared, .stream = stream}, task);
}

cudaError_t launch_contention(const ContentionTask& task, std::uint32_t warps, std::uint32_t shared,
                              cudaStream_t stream) {
  return prepare_and_launch(
      contend, {.ctas = task.sms, .threads = warps * 32, .dynamic_shared = shared, .stream = stream}, task);
}

}  // namespace tomograph::cuda
