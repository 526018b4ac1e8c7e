#include "tomograph/plugin.hpp"

#include "questions.hpp"

#ifdef TOMOGRAPH_HAS_KERNELS
#include "executors.hpp"
#endif

namespace tomograph::dsmem {

namespace {

#ifdef TOMOGRAPH_HAS_KERNELS
using Kernels = Executors<cuda::KernelExecutor<clusters_task>, cuda::KernelExecutor<latency_task>,
                          cuda::KernelExecutor<handover_task>, cuda::KernelExecutor<throughput_task>>;
#else
using Kernels = Executors<>;
#endif

using namespace declare;

/// The needs of probes that measure with clusters of every size.
constexpr std::array cluster_needs{need("cluster.max_size"), optional_need("device.compute_capability")};

struct Clusters {
  static constexpr const char* id = "dsmem/clusters";
  static constexpr const char* question = "How many CTAs can a cluster have?";
  static constexpr double expected_seconds = 0.01;
  static constexpr double time_budget = 20;
  static constexpr std::array needs{optional_need("device.compute_capability")};
  static constexpr std::array provides{
      count("cluster.max_size", per_device, "CTAs of the largest thread block cluster that runs")};
  static void run(const Session& session) { find_largest_cluster(session); }
};

struct Latency {
  static constexpr const char* id = "dsmem/latency";
  static constexpr const char* question = "How long does a load from the shared memory of another SM take?";
  static constexpr double expected_seconds = 0.06;
  static constexpr double time_budget = 20;
  static constexpr auto needs = cluster_needs;
  static constexpr std::array provides{
      cycles("dsmem.latency", per_device,
             "Latency of a load from the shared memory of another SM; median over all pairs of SMs in a cluster"),
      cycles("dsmem.latency.own", per_sm,
             "Latency of a load from the SM's own shared memory through a cluster address"),
      cycles("dsmem.latency.neighbour", per_device,
             "Latency of a load from the shared memory of the other SM in a cluster of two"),
      list("dsmem.latency_by_cluster_size", "cycle", per_device, "Pairs: CTAs of a cluster, median latency"),
      list("dsmem.latency_quantiles", "cycle", per_device, "Pairs: share of the pairs of SMs, latency")};
  static void run(const Session& session) { find_latency(session); }
};

struct Handover {
  static constexpr const char* id = "dsmem/handover";
  static constexpr const char* question = "How long does it take until another SM sees a store?";
  static constexpr double expected_seconds = 0.01;
  static constexpr double time_budget = 20;
  static constexpr std::array needs{optional_need("device.compute_capability")};
  static constexpr std::array provides{
      cycles("dsmem.handover", per_device,
             "Time from a releasing store to the acquiring load of another SM, in the shared memory of that SM"),
      cycles("dsmem.handover.through_global", per_device,
             "Time from a releasing store to the acquiring load of another SM, in global memory")};
  static void run(const Session& session) { find_handover(session); }
};

struct Throughput {
  static constexpr const char* id = "dsmem/throughput";
  static constexpr const char* question = "How many bytes per cycle do SMs exchange, and in which pattern?";
  static constexpr double expected_seconds = 0.08;
  static constexpr double time_budget = 30;
  static constexpr auto needs = cluster_needs;
  static constexpr std::array provides{
      bytes_per_cycle("dsmem.bandwidth", per_sm, "Rate at which an SM loads from other SMs while all SMs do so"),
      bytes_per_cycle("dsmem.bandwidth.read", per_sm, "Highest rate at which an SM loads from other SMs"),
      bytes_per_cycle("dsmem.bandwidth.write", per_sm, "Highest rate at which an SM stores to other SMs"),
      bytes_per_cycle("dsmem.bandwidth.atomic", per_sm,
                      "Highest rate at which an SM adds atomically to words of other SMs"),
      bytes_per_second("dsmem.bandwidth.total.read", per_device,
                       "Highest rate at which all SMs together load from other SMs"),
      bytes_per_second("dsmem.bandwidth.total.write", per_device,
                       "Highest rate at which all SMs together store to other SMs"),
      bytes_per_second("dsmem.bandwidth.total.atomic", per_device,
                       "Highest rate at which all SMs together add atomically to words of other SMs"),
      bytes_per_second("dsmem.through_global.read", per_device,
                       "Rate of the same loads from global memory, which the L2 serves"),
      bytes_per_second("dsmem.through_global.write", per_device,
                       "Rate of the same stores to global memory, which the L2 serves"),
      bytes_per_second("dsmem.through_global.atomic", per_device,
                       "Rate of the same atomic additions in global memory, which the L2 serves"),
      list("dsmem.bandwidth_by_pattern.read", "B/cycle", per_sm,
           "Rows: CTAs of a cluster, then rate of loads of an SM by the partner whose memory it accesses: an idle CTA, "
           "the next CTA, all others in turn, the first CTA, which all others access"),
      list("dsmem.bandwidth_by_pattern.write", "B/cycle", per_sm,
           "Rows as in dsmem.bandwidth_by_pattern.read, for stores"),
      list("dsmem.bandwidth_by_pattern.atomic", "B/cycle", per_sm,
           "Rows as in dsmem.bandwidth_by_pattern.read, for atomic additions")};
  static void run(const Session& session) { find_throughput(session); }
};

}  // namespace

}  // namespace tomograph::dsmem

using namespace tomograph::dsmem;

TOMOGRAPH_PLUGIN("dsmem", "1.0.0",
                 "Distributed shared memory: accesses of SMs of a cluster to each other's shared memory",
                 tomograph::Probes<Clusters, Latency, Handover, Throughput>, Kernels)
