#include "tomograph/plugin.hpp"

#include "questions.hpp"

#ifdef TOMOGRAPH_HAS_KERNELS
#include "executors.hpp"
#endif

namespace tomograph::workloads {

namespace {

#ifdef TOMOGRAPH_HAS_KERNELS
using Kernels = Executors<cuda::KernelExecutor<launch_task>, cuda::KernelExecutor<run_task>>;
#else
using Kernels = Executors<>;
#endif

struct Cycles {
  static constexpr const char* id = "workloads/cycles";
  static constexpr const char* question = "How many cycles do fifteen workloads take (Wang et al. 2019)?";
  static constexpr const char* method = "wang2019";
  static constexpr double expected_seconds = 1;
  static constexpr double time_budget = 120;
  static constexpr std::array<tomograph_need, 0> needs{};
  static constexpr std::array provides{
      declare::list("workloads.cycles", "cycle", declare::per_device,
                    "Pairs: name of a workload, cycles from the start of its first CTA to the end of the last"),
      declare::list("workloads.character", "", declare::per_device,
                    "Rows: name, lines per load, sectors per load, reuse, active lanes, instructions of a warp")};
  static void run(const Session& session) { find_cycles(session); }
};

struct Launch {
  static constexpr const char* id = "workloads/launch";
  static constexpr const char* question = "How fast do CTAs start, and follow each other?";
  static constexpr double expected_seconds = 0.05;
  static constexpr double time_budget = 20;
  static constexpr std::array<tomograph_need, 0> needs{};
  static constexpr std::array provides{
      declare::list("device.cta_launch_rate", "", declare::per_device,
                    "Pairs: warps of a CTA, starts of CTAs per cycle, all SMs together"),
      declare::cycles("device.cta_turnover", declare::per_device,
                      "Cycles from the end of a CTA to the start of the next one in its place"),
      declare::list("device.cta_queueing_curve", "", declare::per_device,
                    "Pairs: starts of CTAs per cycle, cycles from an end to the next start in its place")};
  static void run(const Session& session) { find_launch(session); }
};

}  // namespace

}  // namespace tomograph::workloads

using namespace tomograph::workloads;

TOMOGRAPH_PLUGIN("workloads", "1.0.0", "Starts of CTAs, and cycles of fifteen workloads (only with --method wang2019)",
                 tomograph::Probes<Launch, Cycles>, Kernels)
