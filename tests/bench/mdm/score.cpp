#include "score.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <numeric>

#include "bodies/workload.hpp"
#include "machine_facts.hpp"
#include "saturation.hpp"
#include "sim/kernel/simulation.hpp"
#include "tomograph/kernel/kernel_trace.hpp"

namespace tomograph::bench {

namespace {

constexpr std::array variants{mdm::Variant::gpumech, mdm::Variant::gpumech_plus, mdm::Variant::mdm_queue,
                              mdm::Variant::mdm_mshr, mdm::Variant::mdm};

/// Warps of which lines per load are told.
constexpr std::uint32_t sampled_warps = 64;

/// Of the processor, which other programs and threads do not change.
template <typename Work>
double seconds(Work work) {
  const auto now = [] {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double begun = now();
  work();
  return now() - begun;
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

Machines machines_of(const sim::Gpu& gpu) {
  const bool greedy = gpu.timing->scheduler == sim::WarpScheduler::gto;
  return {nominal_machine(gpu), measured_machine(gpu), profiled_machine(gpu),
          greedy ? mdm::Scheduler::greedy_then_oldest : mdm::Scheduler::round_robin};
}

void simulate_into(Case& result, const sim::Gpu& gpu, const kernel::Trace& trace, std::int64_t warm_passes) {
  std::vector<std::int64_t> sms(static_cast<std::size_t>(gpu.sm_count));
  std::iota(sms.begin(), sms.end(), std::int64_t{0});
  sim::timed::KernelTimes times;
  result.reference_seconds =
      seconds([&] { times = sim::timed::simulate(gpu, {.trace = &trace, .sms = sms, .warm_passes = warm_passes}); });
  result.instructions = static_cast<double>(times.instructions);
  result.reference_ipc = result.instructions / static_cast<double>(times.longest());
  result.reference_llc_misses =
      static_cast<double>(times.l2_misses) / (trace.launch().ctas * static_cast<double>(trace.launch().warps_per_cta));
}

Case run_trace(const sim::Gpu& gpu, const Machines& machines, const kernel::Trace& trace, bool divergent,
               std::int64_t warm_passes) {
  Case result{.workload = trace.launch().name, .divergent = divergent};
  simulate_into(result, gpu, trace, warm_passes);
  kernel::Profile profile;
  result.profile_seconds = seconds([&] { profile = kernel::profile(trace, machines.profiled, warm_passes); });
  result.model_seconds = seconds([&] { predict_all(machines, profile, result); });
  result.llc_miss_ratio = profile.llc_miss_ratio;
  result.traffic = profile.traffic;
  result.lines_per_load = workloads::character_of(trace, sampled_warps).lines_per_load;
  return result;
}

}  // namespace

std::vector<Case> run(const Configuration& configuration, const std::vector<Workload>& workloads) {
  const Machines machines = machines_of(configuration.gpu);
  std::vector<Case> cases;
  for (const Workload& workload : workloads) {
    const kernel::Kernel kernel = kernel_on(configuration, workload);
    const kernel::KernelTrace trace(workload.description.name, kernel);
    cases.push_back(run_trace(configuration.gpu, machines, trace, workload.divergent, kernel.warm_passes));
  }
  return cases;
}

std::vector<Case> run_algorithms(const Configuration& configuration) {
  const Machines machines = machines_of(configuration.gpu);
  std::vector<Case> cases;
  for (const auto& workload : workloads::all_workloads()) {
    cases.push_back(run_trace(configuration.gpu, machines, *workload->trace(), workload->is_divergent(), 1));
  }
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
