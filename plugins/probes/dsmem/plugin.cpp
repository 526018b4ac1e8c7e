#include "tomograph/session/plugin.hpp"

#include "probes.hpp"

#ifdef DSMEM_HAS_KERNELS
#include "executors.hpp"
#endif

namespace tomograph::dsmem {

namespace {

constexpr auto real = TOMOGRAPH_REAL;
constexpr auto list = TOMOGRAPH_LIST;
constexpr auto per_sm = TOMOGRAPH_PER_SM;
constexpr auto per_device = TOMOGRAPH_PER_DEVICE;

struct Clusters {
  static constexpr const char* id = "dsmem/clusters";
  static constexpr const char* question = "How many CTAs can a cluster have?";
  static constexpr double expected_seconds = 0.01;
  static constexpr double time_budget = 20;
  static constexpr std::array needs{optional_need("device.compute_capability")};
  static constexpr std::array provides{
      fact_spec("cluster.max_size", TOMOGRAPH_INTEGER, "1", per_device, "CTAs of the largest cluster that runs")};
  static void run(const Session& session) { find_largest_cluster(session); }
};

struct Latency {
  static constexpr const char* id = "dsmem/latency";
  static constexpr const char* question = "How long does a load from the shared memory of another SM take?";
  static constexpr double expected_seconds = 0.06;
  static constexpr double time_budget = 20;
  static constexpr std::array needs{need("cluster.max_size"), optional_need("device.compute_capability")};
  static constexpr std::array provides{
      fact_spec("dsmem.latency", real, "cycle", per_device, "Median over all pairs of SMs in a cluster"),
      fact_spec("dsmem.latency.own", real, "cycle", per_sm, "The same for memory of the SM itself"),
      fact_spec("dsmem.latency.neighbour", real, "cycle", per_device,
                "The same for the two CTAs of the smallest cluster"),
      fact_spec("dsmem.latency_by_cluster_size", list, "cycle", per_device, "Pairs: CTAs of a cluster, median latency"),
      fact_spec("dsmem.latency_quantiles", list, "cycle", per_device, "Pairs: share of pairs of SMs, latency")};
  static void run(const Session& session) { find_latency(session); }
};

struct Handover {
  static constexpr const char* id = "dsmem/handover";
  static constexpr const char* question = "How long does it take until another SM sees what one has written?";
  static constexpr double expected_seconds = 0.01;
  static constexpr double time_budget = 20;
  static constexpr std::array needs{optional_need("device.compute_capability")};
  static constexpr std::array provides{
      fact_spec("dsmem.handover", real, "cycle", per_device,
                "From a releasing store to the acquiring load, in the "
                "shared memory of the SM that waits"),
      fact_spec("dsmem.handover.through_global", real, "cycle", per_device, "The same in global memory")};
  static void run(const Session& session) { find_handover(session); }
};

struct Throughput {
  static constexpr const char* id = "dsmem/throughput";
  static constexpr const char* question = "How many bytes per cycle do SMs exchange, and in which pattern?";
  static constexpr double expected_seconds = 0.08;
  static constexpr double time_budget = 30;
  static constexpr std::array needs{need("cluster.max_size"), optional_need("device.compute_capability")};
  static constexpr std::array provides{
      fact_spec("dsmem.bandwidth", real, "B/cycle", per_sm, "Loads of an SM from others, while all SMs do so"),
      fact_spec("dsmem.bandwidth.read", real, "B/cycle", per_sm, "The most that an SM loads from others"),
      fact_spec("dsmem.bandwidth.write", real, "B/cycle", per_sm, "The most that an SM stores to others"),
      fact_spec("dsmem.bandwidth.atomic", real, "B/cycle", per_sm, "The most that an SM adds to words of others"),
      fact_spec("dsmem.bandwidth.total.read", real, "B/s", per_device, "The most that all SMs load from others"),
      fact_spec("dsmem.bandwidth.total.write", real, "B/s", per_device, "The most that all SMs store to others"),
      fact_spec("dsmem.bandwidth.total.atomic", real, "B/s", per_device,
                "The most that all SMs add to words of others"),
      fact_spec("dsmem.through_global.read", real, "B/s", per_device, "Loads of the same data from global memory"),
      fact_spec("dsmem.through_global.write", real, "B/s", per_device, "Stores of the same data to global memory"),
      fact_spec("dsmem.through_global.atomic", real, "B/s", per_device, "The same additions in global memory"),
      fact_spec(
          "dsmem.bandwidth_by_pattern.read", list, "B/cycle", per_sm,
          "Rows: CTAs of a cluster, then loads of an SM whose partner idles, is the next, are all in turns, is the "
          "first for all"),
      fact_spec("dsmem.bandwidth_by_pattern.write", list, "B/cycle", per_sm, "The same for stores"),
      fact_spec("dsmem.bandwidth_by_pattern.atomic", list, "B/cycle", per_sm, "The same for atomic additions")};
  static void run(const Session& session) { find_throughput(session); }
};

#ifdef DSMEM_HAS_KERNELS
using Kernels = Executors<ClustersExecutor, LatencyExecutor, HandoverExecutor, ThroughputExecutor>;
#else
using Kernels = Executors<>;
#endif

}  // namespace

}  // namespace tomograph::dsmem

using namespace tomograph::dsmem;

TOMOGRAPH_PLUGIN("dsmem", "1.0.0", "Distributed shared memory: what SMs of a cluster read and write in each other's",
                 tomograph::Probes<Clusters, Latency, Handover, Throughput>, tomograph::Devices<>, tomograph::Models<>,
                 Kernels)
