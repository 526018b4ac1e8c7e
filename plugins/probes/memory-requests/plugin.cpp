#include "tomograph/plugin.hpp"

#include "questions.hpp"
#include "tomograph/literal.hpp"

namespace tomograph::memory_requests {

namespace {

using declare::per_sm;

struct Dram {
  static constexpr const char* id = "memory-requests/dram";
  static constexpr const char* question =
      "How many cycles does a warp's request to global memory take, by element size?";
  static constexpr double expected_seconds = 0.05;
  static constexpr double time_budget = 20;
  static constexpr auto needs =
      concatenated(std::array{need("device.sm_count")},
                   optional_needs("device.max_warps_per_sm", "l2.nominal_size", "dram.size", "dram.free"));
  static constexpr std::array provides{
      declare::list("dram.request.completion_latency_by_element", "cycle", per_sm,
                    "Pairs: bytes of each thread, cycles per request of one warp on each SM"),
      declare::list("dram.request.issue_latency_by_element", "cycle", per_sm,
                    "Pairs: bytes of each thread, cycles of an SM between requests of its warps, with full pipelines")};
  static void run(const Session& session) { find_request_latencies(session); }
};

}  // namespace

}  // namespace tomograph::memory_requests

TOMOGRAPH_PLUGIN("memory-requests", "1.0.0", "Latencies of requests to global memory by occupancy and element size",
                 tomograph::Probes<tomograph::memory_requests::Dram>)
