#include <algorithm>
#include <numeric>

#include "machine_facts.hpp"
#include "sim/kernel/simulation.hpp"
#include "tomograph/kernel/kernel_trace.hpp"

namespace tomograph::bench {

namespace {

using kernel::Operation;

std::vector<std::int64_t> first_sms(std::int64_t count) {
  std::vector<std::int64_t> sms(static_cast<std::size_t>(count));
  std::iota(sms.begin(), sms.end(), std::int64_t{0});
  return sms;
}

/// Loads past the L1, as `pattern` says, of full SMs. Returns cycles per iteration of one warp of each SM.
double cycles_per_load(const sim::Gpu& gpu, std::int64_t sms, const kernel::Pattern& pattern, std::int64_t footprint,
                       std::int64_t warm_passes) {
  kernel::Kernel kernel{.warps = 8, .ctas = 6 * sms, .ctas_per_sm = 6, .iterations = 16, .footprint = footprint};
  kernel.loop.push_back({.operation = Operation::load,
                         .access = kernel::Access{.pattern = pattern, .cache = kernel::Cache::cg, .span = footprint}});
  const kernel::KernelTrace trace("measuring", kernel);
  const auto times =
      sim::timed::simulate(gpu, {.trace = &trace, .sms = first_sms(sms), .warm_passes = warm_passes});
  const double loads = 16 * 48;
  return static_cast<double>(times.longest()) / loads;
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
  return machine;
}

mdm::Machine measured_machine(const sim::Gpu& gpu) {
  mdm::Machine machine = nominal_machine(gpu);
  constexpr std::int64_t near = 1 << 20;
  constexpr std::int64_t far = std::int64_t{1} << 28;
  const kernel::Pattern gather = kernel::Hash{.group = 1, .block = 32};
  kernel::Stride stream;
  stream.iteration = 32 * 48 * gpu.sm_count;
  const auto rate = [&](double requests, std::int64_t sms, const kernel::Pattern& pattern, std::int64_t bytes, int warm) {
    return requests * static_cast<double>(sms) / cycles_per_load(gpu, sms, pattern, bytes, warm);
  };
  machine.sm_requests = rate(32, 1, gather, near, 1);
  machine.llc = {rate(32, gpu.sm_count, gather, near, 1), rate(128, gpu.sm_count, stream, near, 1)};
  machine.dram = {rate(32, gpu.sm_count, gather, far, 0), rate(128, gpu.sm_count, stream, far, 0)};
  // One warp instruction per cycle and scheduler: no operation of these workloads has more than one pipeline of its own.
  machine.issue_width = static_cast<double>(gpu.timing->schedulers);
  return machine;
}

kernel::ProfiledMachine profiled_machine(const sim::Gpu& gpu) {
  kernel::ProfiledMachine machine;
  const sim::PrivateCache& l1 = *gpu.serving(chase::Path::global_ca);
  machine.sms = gpu.sm_count;
  machine.max_warps_per_sm = gpu.timing->max_warps;
  machine.max_ctas_per_sm = gpu.timing->max_ctas;
  machine.l1 = {l1.cache.lines() * l1.cache.line_size, l1.cache.line_size, l1.cache.set_ways.front()};
  machine.llc = {gpu.l2.cache.lines() * gpu.l2.cache.line_size, gpu.l2.cache.line_size, gpu.l2.cache.set_ways.front()};
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
