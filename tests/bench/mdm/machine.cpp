#include <algorithm>
#include <numeric>

#include "machine_facts.hpp"
#include "sim/kernel/simulation.hpp"
#include "tomograph/kernel/kernel_trace.hpp"

namespace tomograph::bench {

namespace {

using kernel::Operation;

/// Footprints that the L2 holds, and that it does not.
constexpr std::int64_t near = 1 << 20;
constexpr std::int64_t far = std::int64_t{1} << 28;

std::vector<std::int64_t> first_sms(std::int64_t count) {
  std::vector<std::int64_t> sms(static_cast<std::size_t>(count));
  std::iota(sms.begin(), sms.end(), std::int64_t{0});
  return sms;
}

/// Loads past the L1, or stores, of full SMs. Returns cycles per access of a warp on each SM.
double cycles_per_access(const sim::Gpu& gpu, std::int64_t sms, Operation operation, const kernel::Pattern& pattern,
                         std::int64_t footprint) {
  // Writes reach memory only once the L2 is full of them.
  const std::int64_t iterations = operation == Operation::store && footprint == far ? 256 : 8;
  kernel::Kernel kernel{
      .warps = 8, .ctas = 6 * sms, .ctas_per_sm = 6, .iterations = iterations, .footprint = footprint};
  kernel::Access access{.pattern = pattern, .span = footprint};
  if (operation == Operation::load) access.cache = kernel::Cache::cg;
  kernel.loop.push_back({.operation = operation, .access = access});
  const kernel::KernelTrace trace("measuring", kernel);
  const auto times =
      sim::timed::simulate(gpu, {.trace = &trace, .sms = first_sms(sms), .warm_passes = footprint == near ? 1 : 0});
  return static_cast<double>(times.longest()) / static_cast<double>(48 * iterations);
}

/// Latency against load, of loads of one line each, by rising numbers of warps. `saturated` is in requests per cycle.
mdm::QueueingCurve queueing_curve(const sim::Gpu& gpu, std::int64_t footprint, double saturated) {
  mdm::QueueingCurve curve;
  for (const std::int64_t warps : {1, 2, 4, 8, 12, 16, 24, 32, 48}) {
    const std::int64_t of_cta = warps < 8 ? 1 : 4;
    kernel::Kernel kernel{.warps = of_cta,
                          .ctas = warps / of_cta * gpu.sm_count,
                          .ctas_per_sm = warps / of_cta,
                          .iterations = 16,
                          .footprint = footprint};
    kernel.loop.push_back(
        {.operation = Operation::load,
         .access = kernel::Access{
             .pattern = kernel::Hash{.group = 32, .block = 128}, .cache = kernel::Cache::cg, .span = footprint}});
    const kernel::KernelTrace trace("measuring", kernel);
    const std::int64_t period = kernel::instructions_per_iteration(kernel);
    const auto times = sim::timed::simulate(gpu, {.trace = &trace,
                                                  .sms = first_sms(gpu.sm_count),
                                                  .warm_passes = footprint == near ? 1 : 0,
                                                  .timed_position = kernel::address_instructions(kernel.loop.front()),
                                                  .timed_period = period});
    const double load =
        static_cast<double>(16 * warps * gpu.sm_count) / static_cast<double>(times.longest()) / saturated;
    if (!curve.load.empty() && load <= curve.load.back()) break;
    curve.load.push_back(load);
    curve.latency.push_back(times.timed_latency);
  }
  return curve;
}

/// Kernels run on the simulator with LRU replacement, whatever the description says (sim/kernel/line_store.hpp).
kernel::CacheShape shape(const sim::Cache& cache) {
  return {.size = cache.lines() * cache.line_size,
          .line = cache.line_size,
          .ways = cache.set_ways.front(),
          .replacement = kernel::Replacement::lru,
          .masks = sim::index_masks(cache.index)};
}

}  // namespace

mdm::Machine nominal_machine(const sim::Gpu& gpu) {
  mdm::Machine machine;
  const sim::Timing& timing = *gpu.timing;
  machine.clock_hz = static_cast<double>(gpu.sm_clock_mhz) * 1e6;
  machine.sms = static_cast<double>(gpu.sm_count);
  machine.issue_width = static_cast<double>(timing.schedulers * timing.issue_width);
  machine.max_warps_per_sm = static_cast<double>(timing.max_warps);
  machine.llc_latency = static_cast<double>(gpu.l2.latency);
  machine.dram_latency = static_cast<double>(gpu.dram.latency - gpu.l2.latency);
  machine.noc_bandwidth = timing.noc.slice_reply * static_cast<double>(gpu.l2.slices) * machine.clock_hz;
  machine.dram_bandwidth = timing.dram.bandwidth;
  machine.outstanding_misses = static_cast<double>(timing.l1_mshrs);
  machine.line_bytes = static_cast<double>(gpu.l2.cache.line_size);
  return machine;
}

mdm::Machine measured_machine(const sim::Gpu& gpu) {
  mdm::Machine machine = nominal_machine(gpu);
  const kernel::Pattern gather = kernel::Hash{.group = 1, .block = 32};
  kernel::Stride stream;
  stream.iteration_stride = 32 * 48 * gpu.sm_count;
  const auto requests = [&](std::int64_t sms, std::int64_t bytes) {
    return 32 * static_cast<double>(sms) / cycles_per_access(gpu, sms, Operation::load, gather, bytes);
  };
  const auto bytes = [&](Operation operation, std::int64_t footprint) {
    return 128 * machine.sms / cycles_per_access(gpu, gpu.sm_count, operation, stream, footprint);
  };
  machine.sm_requests = requests(1, near);
  machine.llc = {requests(gpu.sm_count, near), bytes(Operation::load, near), bytes(Operation::store, near)};
  machine.dram = {requests(gpu.sm_count, far), bytes(Operation::load, far), bytes(Operation::store, far)};
  machine.llc_queue = queueing_curve(gpu, near, machine.llc.gather);
  machine.dram_queue = queueing_curve(gpu, far, machine.dram.gather);
  // One warp instruction per cycle and scheduler: no operation of these workloads has more than one pipeline of its
  // own.
  machine.issue_width = static_cast<double>(gpu.timing->schedulers);
  return machine;
}

kernel::ProfiledMachine profiled_machine(const sim::Gpu& gpu) {
  kernel::ProfiledMachine machine;
  const sim::PrivateCache& l1 = *gpu.serving(chase::Path::global_ca);
  machine.sms = gpu.sm_count;
  machine.max_warps_per_sm = gpu.timing->max_warps;
  machine.max_ctas_per_sm = gpu.timing->max_ctas;
  machine.greedy = gpu.timing->scheduler == sim::WarpScheduler::gto;
  machine.l1 = shape(l1.cache);
  machine.llc = shape(gpu.l2.cache);
  machine.miss_bytes = l1.cache.fetch_granularity;
  machine.latency.fill(1);
  const auto set = [&](Operation operation, instruction::Type type) {
    machine.latency[static_cast<std::size_t>(operation)] = gpu.instructions->pipelines.at(type).completion;
  };
  set(Operation::integer, instruction::Type::int32_mad);
  set(Operation::fp32, instruction::Type::fp32_fma);
  set(Operation::fp64, instruction::Type::fp64_fma);
  set(Operation::special, instruction::Type::special);
  machine.latency[static_cast<std::size_t>(Operation::shared_load)] = static_cast<double>(gpu.shared_memory->latency);
  machine.l1_latency = static_cast<double>(l1.latency);
  machine.llc_latency = static_cast<double>(gpu.l2.latency);
  machine.memory_latency = static_cast<double>(gpu.dram.latency);
  return machine;
}

}  // namespace tomograph::bench
