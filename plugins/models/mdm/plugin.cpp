#include "tomograph/plugin.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <new>

#include "all_models.hpp"
#include "facts.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/documents/input_error.hpp"
#include "tomograph/kernel/description.hpp"
#include "tomograph/kernel/kernel_trace.hpp"
#include "tomograph/kernel/profile_document.hpp"
#include "used_facts.hpp"
#include "workload_times.hpp"

namespace tomograph::mdm {

namespace {

/// Another GPU: what is twice as large, and how.
struct Doubled {
  const char* name;
  void (*change)(Machine& machine);
};

void scale(Rate& rate) {
  rate.gather *= 2;
  rate.stream *= 2;
  rate.write *= 2;
}

constexpr std::array doubled{
    Doubled{"sms", [](Machine& machine) { machine.sms *= 2; }},
    Doubled{"misses_in_flight", [](Machine& machine) { machine.outstanding_misses *= 2; }},
    Doubled{"noc",
            [](Machine& machine) {
              machine.noc_bandwidth *= 2;
              machine.sm_requests *= 2;
            }},
    Doubled{"l2", [](Machine& machine) { scale(machine.llc); }},
    Doubled{"dram",
            [](Machine& machine) {
              machine.dram_bandwidth *= 2;
              scale(machine.dram);
            }},
};

/// @throws std::invalid_argument
void require_room(const kernel::Kernel& kernel, std::int64_t memory) {
  if (kernel.footprint <= memory) return;
  throw std::invalid_argument("footprint is " + std::to_string(kernel.footprint) + " B, but dram.size is " +
                              std::to_string(memory) + " B");
}

/// The instructions of all warps that SMs hold are in memory at the same time. Beyond half of this machine's memory,
/// the system may end other programs before an allocation fails.
/// @throws std::bad_alloc
void require_memory(const kernel::Kernel& kernel, const kernel::ProfiledMachine& machine,
                    const kernel::Launch& launch) {
  const std::int64_t ctas = std::min(kernel.ctas, machine.sms * kernel::resident_ctas(launch, machine));
  const auto instructions = static_cast<double>(kernel.iterations * kernel::instructions_per_iteration(kernel));
  const double bytes = static_cast<double>(ctas * kernel.warps) * instructions * sizeof(kernel::Instruction);
  const double memory = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGE_SIZE));
  if (2 * bytes > memory) throw std::bad_alloc();
}

/// A profile, as a kernel description, must fit on an SM.
/// @throws Refused
void require_place(const Session& session, const Machine& machine, const kernel::Profile& profile) {
  if (resident_ctas(machine, profile) >= 1) return;
  throw Refused(TOMOGRAPH_INVALID,
                session.parameter<std::string>("kernel_file") + ": no CTA of " + profile.name + " fits on an SM");
}

/// The profile of what the user gave: a profile, or a kernel description.
kernel::Profile profile_of(const Session& session, const Facts& facts) {
  const auto text = session.parameter<std::string>("kernel");
  const auto file = session.parameter<std::string>("kernel_file");
  try {
    if (kernel::is_profile(text)) {
      kernel::Profile profile = kernel::parse_profile(text, file);
      require_known(facts, used_facts(profile));
      return profile;
    }
    const kernel::Description description = kernel::parse_description(text, file);
    require_known(facts, used_facts(description.kernel));
    if (const auto memory = memory_size(facts)) require_room(description.kernel, *memory);
    const kernel::KernelTrace trace(description.name, description.kernel);
    const kernel::ProfiledMachine machine = profiled_machine_of(facts, description.kernel.carveout);
    require_memory(description.kernel, machine, trace.launch());
    return kernel::profile(trace, machine, description.kernel.warm_passes);
  } catch (const InputError& error) {
    throw Refused(TOMOGRAPH_INVALID, error.what());
  } catch (const std::invalid_argument& error) {
    throw Refused(TOMOGRAPH_INVALID, file + ": " + error.what());
  } catch (const std::bad_alloc&) {
    throw Refused(TOMOGRAPH_INVALID, file + ": the instructions of all warps do not fit in memory; reduce iterations");
  }
}

Scheduler scheduler_of(const Session& session) {
  const auto name = session.parameter<std::string>("scheduler");
  if (name == "lrr") return Scheduler::round_robin;
  if (name == "gto") return Scheduler::greedy_then_oldest;
  throw Refused(TOMOGRAPH_INVALID, "scheduler is '" + name + "', expected lrr or gto");
}

/// Time of a kernel on a GPU, from facts alone.
struct KernelTime {
  static constexpr const char* id = "mdm/kernel";
  static constexpr const char* question = "How long does a kernel take, and what limits it?";
  static constexpr double time_budget = 300;
  static constexpr std::array parameters{
      parameter("kernel", TOMOGRAPH_TEXT, "\"\"", 0, 0,
                "Text of a kernel description or of an interval profile (TOML)"),
      parameter("kernel_file", TOMOGRAPH_TEXT, "\"kernel\"", 0, 0, "Name that errors give the text"),
      parameter("scheduler", TOMOGRAPH_TEXT, "\"lrr\"", 0, 0,
                "Warp scheduler of the published models: lrr (round-robin) or gto (greedy, then oldest)"),
  };
  static constexpr auto& needs = mdm::needs;
  static constexpr std::array provides{
      declare::cycles("kernel.cycles", declare::per_device, "Cycles of the kernel"),
      declare::ratio("kernel.ipc", declare::per_device, "Warp instructions of all SMs per cycle"),
      declare::text(
          "kernel.limit", declare::per_device,
          "The part that is busiest (issue, l1, mshr, noc, l2, dram or launch), or latency if none makes warps wait"),
      fact_spec("kernel.stack", TOMOGRAPH_TABLE, "cycle", declare::per_device,
                "Cycles of a warp's slot by cause: its instructions, latency without contention, waits at each part"),
      fact_spec("kernel.doubled", TOMOGRAPH_TABLE, "1", declare::per_device,
                "How many times faster the kernel is with twice the SMs, misses in flight, network, L2 or memory"),
      fact_spec("kernel.ipc_by_model", TOMOGRAPH_TABLE, "1", declare::per_device,
                "Warp instructions per cycle by the models of Wang et al. 2019 and by this one (saturation)"),
  };

  static void run(const Session& session);
};

Value doubling(const Machine& machine, const kernel::Profile& profile, double cycles) {
  Value table = Value::table();
  for (const Doubled& what : doubled) {
    Machine changed = machine;
    what.change(changed);
    table[what.name] = cycles / predict_saturation(changed, profile).cycles;
  }
  return table;
}

void KernelTime::run(const Session& session) {
  const Facts facts = facts_of(session);
  const Scheduler scheduler = scheduler_of(session);
  const kernel::Profile profile = profile_of(session, facts);
  const Machine machine = machine_of(facts, static_cast<double>(profile.miss_bytes));
  require_place(session, machine, profile);
  const SaturationPrediction prediction = predict_saturation(machine, profile);
  Fact cycles = derived("kernel.cycles", prediction.cycles);
  cycles.interval = {prediction.cycles / confidence::models::factor, prediction.cycles * confidence::models::factor};
  session.publish(cycles);
  session.publish(derived("kernel.ipc", prediction.ipc));
  session.publish(derived("kernel.limit", prediction.limit));
  Value stack = Value::table();
  for (const auto& [cause, waited] : stack_of(prediction)) stack[cause] = waited;
  session.publish(derived("kernel.stack", std::move(stack)));
  session.publish(derived("kernel.doubled", doubling(machine, profile, prediction.cycles)));
  Value by_model = Value::table();
  for (const ModelTime& time : times_by_model(machine, profile, scheduler, prediction)) by_model[time.model] = time.ipc;
  session.publish(derived("kernel.ipc_by_model", std::move(by_model)));
}

/// A probe, since a method's facts are a probe's; it asks the device nothing.
struct WorkloadTimes {
  static constexpr const char* id = "mdm/workloads";
  static constexpr const char* question = "How long should the fifteen workloads take (Wang et al. 2019)?";
  static constexpr const char* method = "wang2019";
  static constexpr double expected_seconds = 20;
  static constexpr double time_budget = 600;
  static constexpr std::array parameters{
      parameter("workloads", TOMOGRAPH_TEXT, "\"\"", 0, 0,
                "Names of workloads to predict, separated by commas; empty: all fifteen"),
  };
  static constexpr auto needs = [] {
    std::array<tomograph_need, mdm::needs.size() + 1> all{};
    std::copy(mdm::needs.begin(), mdm::needs.end(), all.begin());
    all.back() = optional_need("workloads.cycles");
    return all;
  }();
  static constexpr std::array provides{
      declare::list("workloads.predicted_cycles", "cycle", declare::per_device,
                    "Rows: name of a workload, cycles by each model"),
      declare::list("workloads.predicted_ipc", "1", declare::per_device,
                    "Rows: name of a workload, warp instructions of all SMs per cycle by each model"),
      declare::list("workloads.predicted_stack", "cycle", declare::per_device,
                    "Rows: name of a workload, cycles of a warp's slot by cause"),
  };
  static void run(const Session& session) { predict_workloads(session); }
};

}  // namespace

}  // namespace tomograph::mdm

TOMOGRAPH_PLUGIN("mdm", "1.0.0", "Time of kernels from facts alone: the Memory Divergence Model and a saturation model",
                 tomograph::Probes<tomograph::mdm::WorkloadTimes>, tomograph::Models<tomograph::mdm::KernelTime>)
