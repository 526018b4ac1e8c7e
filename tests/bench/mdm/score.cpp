#include "score.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <numeric>

#include "machine_facts.hpp"
#include "saturation.hpp"
#include "sim/kernel/simulation.hpp"
#include "tomograph/kernel/kernel_trace.hpp"

namespace tomograph::bench {

namespace {

constexpr std::array variants{mdm::Variant::gpumech, mdm::Variant::gpumech_plus, mdm::Variant::mdm_queue,
                              mdm::Variant::mdm_mshr, mdm::Variant::mdm};

/// Of the processor, which other programs do not change.
template <typename Work>
double seconds(Work work) {
  const std::clock_t begun = std::clock();
  work();
  return static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
}

double lines_per_load(const kernel::Profile& profile, const kernel::KernelTrace& trace) {
  double units = 0;
  double loads = 0;
  const kernel::Warp warp = trace.warp(0, 0);
  for (const kernel::Instruction& instruction : warp.instructions) {
    if (instruction.operation != kernel::Operation::load && instruction.operation != kernel::Operation::atomic) continue;
    std::vector<std::uint64_t> lines;
    for (std::uint32_t i = 0; i < instruction.sector_count; ++i) {
      lines.push_back(warp.sectors[instruction.first_sector + i] * kernel::sector_bytes /
                      static_cast<std::uint64_t>(profile.miss_bytes));
    }
    std::ranges::sort(lines);
    units += static_cast<double>(std::unique(lines.begin(), lines.end()) - lines.begin());
    loads += 1;
  }
  return loads > 0 ? units / loads : 0;
}

struct Machines {
  mdm::Machine nominal;
  mdm::Machine measured;
  kernel::ProfiledMachine profiled;
  mdm::Scheduler scheduler;
};

void predict_all(const Machines& machines, const kernel::Profile& profile, Case& result) {
  for (std::size_t i = 0; i < variants.size(); ++i) {
    result.ipc[i] = mdm::predict(variants[i], machines.scheduler, machines.nominal, profile).ipc;
  }
  const auto ours = mdm::predict_saturation(machines.measured, profile);
  result.ipc.back() = ours.ipc;
  result.limit = ours.limit;
}

Case run_one(const Configuration& configuration, const Workload& workload, const Machines& machines) {
  const kernel::Kernel kernel = kernel_on(configuration, workload);
  const kernel::KernelTrace trace(workload.description.name, kernel);
  Case result{.workload = workload.description.name, .divergent = workload.divergent};
  std::vector<std::int64_t> sms(static_cast<std::size_t>(configuration.gpu.sm_count));
  std::iota(sms.begin(), sms.end(), std::int64_t{0});
  sim::timed::KernelTimes times;
  result.reference_seconds = seconds([&] {
    times = sim::timed::simulate(configuration.gpu, {.trace = &trace, .sms = sms, .warm_passes = kernel.warm_passes});
  });
  result.instructions = static_cast<double>(times.instructions);
  result.reference_ipc = result.instructions / static_cast<double>(times.longest());
  kernel::Profile profile;
  result.profile_seconds =
      seconds([&] { profile = kernel::profile(trace, machines.profiled, kernel.warm_passes); });
  result.model_seconds = seconds([&] { predict_all(machines, profile, result); });
  result.llc_miss_ratio = profile.llc_miss_ratio;
  result.traffic = profile.traffic;
  result.reference_llc_misses =
      static_cast<double>(times.l2_misses) / static_cast<double>(kernel.ctas * kernel.warps);
  result.lines_per_load = lines_per_load(profile, trace);
  return result;
}

}  // namespace

std::vector<Case> run(const Configuration& configuration, const std::vector<Workload>& workloads) {
  const bool greedy = configuration.gpu.timing->scheduler == sim::WarpScheduler::gto;
  const Machines machines{nominal_machine(configuration.gpu), measured_machine(configuration.gpu),
                          profiled_machine(configuration.gpu),
                          greedy ? mdm::Scheduler::greedy_then_oldest : mdm::Scheduler::round_robin};
  std::vector<Case> cases;
  for (const Workload& workload : workloads) cases.push_back(run_one(configuration, workload, machines));
  return cases;
}

double mean_error(const std::vector<Case>& cases, std::size_t model, bool divergent) {
  double sum = 0;
  double count = 0;
  for (const Case& one : cases) {
    if (one.divergent != divergent) continue;
    sum += std::abs(one.error(model));
    count += 1;
  }
  return sum / count;
}

}  // namespace tomograph::bench
