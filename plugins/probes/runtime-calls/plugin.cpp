#include "tomograph/plugin.hpp"

#include "questions.hpp"

#ifdef TOMOGRAPH_HAS_KERNELS
#include "executors.hpp"
#endif

namespace tomograph::runtime_calls {

namespace {

#ifdef TOMOGRAPH_HAS_KERNELS
using Kernels = Executors<cuda::KernelExecutor<starts_task>, cuda::KernelExecutor<moves_task>>;
#else
using Kernels = Executors<>;
#endif

using declare::per_device;

constexpr tomograph_fact_spec seconds(const char* key, const char* help) {
  return fact_spec(key, TOMOGRAPH_REAL, "s", per_device, help);
}

struct Launch {
  static constexpr const char* id = "runtime-calls/launch";
  static constexpr const char* question = "How long does it take to start a kernel, and to wait for its end?";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 20;
  static constexpr auto uses_links = TOMOGRAPH_LINK_TO_HOST;
  static constexpr std::array provides{
      seconds("launch.latency", "Time from the call until the host sees what the kernel writes to its memory"),
      seconds("launch.call", "Time of the call that starts a kernel on an idle stream"),
      seconds("launch.period",
              "Time from the start of a short kernel to that of the next one that waits on the same stream"),
      seconds("launch.synchronise", "Time from when the host sees what the kernel writes until waiting returns")};
  static void run(const Session& session) { find_launch(session); }
};

struct GraphLaunch {
  static constexpr const char* id = "runtime-calls/graph";
  static constexpr const char* question = "How long does it take to start a graph of kernels?";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 20;
  static constexpr auto uses_links = TOMOGRAPH_LINK_TO_HOST;
  static constexpr std::array provides{
      seconds("launch.graph_latency", "Time from the call until the host sees what the first kernel writes"),
      seconds("launch.graph_call", "Time of the call that starts a graph of one kernel"),
      seconds("launch.graph_period", "Time from the start of a short kernel to that of the next one in the graph")};
  static void run(const Session& session) { find_graph_launch(session); }
};

struct Moves {
  static constexpr const char* id = "runtime-calls/memory";
  static constexpr const char* question = "How fast does the runtime copy and set the GPU's memory?";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 20;
  static constexpr std::array needs{optional_need("l2.nominal_size"), optional_need("dram.free")};
  static constexpr std::array provides{
      declare::bytes_per_second("dram.bandwidth.memcpy", per_device,
                                "Copies within the GPU's memory by the runtime, reads and writes together"),
      declare::bytes_per_second("dram.bandwidth.memset", per_device, "Setting of memory by the runtime")};
  static void run(const Session& session) { find_moves(session); }
};

}  // namespace

}  // namespace tomograph::runtime_calls

using namespace tomograph::runtime_calls;

TOMOGRAPH_PLUGIN("runtime-calls", "1.0.0", "What calls of CUDA's runtime take: starts of kernels and graphs, copies",
                 tomograph::Probes<Launch, GraphLaunch, Moves>, Kernels)
