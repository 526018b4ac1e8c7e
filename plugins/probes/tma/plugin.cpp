#include "tomograph/plugin.hpp"

#include "questions.hpp"

#ifdef TOMOGRAPH_HAS_KERNELS
#include "executors.hpp"
#endif

namespace tomograph::tma {

namespace {

#ifdef TOMOGRAPH_HAS_KERNELS
using Kernels = Executors<cuda::KernelExecutor<latency_task>, cuda::KernelExecutor<throughput_task>>;
#else
using Kernels = Executors<>;
#endif

using namespace declare;

constexpr tomograph_fact_spec latency(const char* key, const char* help) { return cycles(key, per_sm, help); }
constexpr tomograph_fact_spec latency_by_tile(const char* key) {
  return list(key, "cycle", per_sm, "Pairs: bytes of a tile, latency of a copy");
}
constexpr tomograph_fact_spec bandwidth_by_tile(const char* key, const char* help) {
  return list(key, "B/s", per_device, help);
}

struct LatencyProbe {
  static constexpr const char* id = "tma/latency";
  static constexpr const char* question = "How long does the TMA take to copy a tile, by its size?";
  static constexpr double expected_seconds = 0.02;
  static constexpr double time_budget = 20;
  static constexpr std::array needs{optional_need("device.compute_capability")};
  static constexpr std::array provides{
      latency("tma.latency", "Latency of a bulk load of a small tile from the L2 to shared memory"),
      latency("tma.latency.per_kib", "Additional latency of a bulk load for each KiB of a large tile"),
      latency_by_tile("tma.latency_by_tile"),
      latency("tma.tensor.latency", "Latency of a tensor load of a small box from the L2 to shared memory"),
      latency("tma.tensor.latency.per_kib", "Additional latency of a tensor load for each KiB of a large box"),
      latency_by_tile("tma.tensor.latency_by_tile"),
      latency("tma.store.latency", "Latency of a bulk store of a small tile from shared to global memory"),
      latency("tma.store.latency.per_kib", "Additional latency of a bulk store for each KiB of a large tile"),
      latency_by_tile("tma.store.latency_by_tile"),
      latency("tma.tensor.store.latency", "Latency of a tensor store of a small box from shared to global memory"),
      latency("tma.tensor.store.latency.per_kib", "Additional latency of a tensor store for each KiB of a large box"),
      latency_by_tile("tma.tensor.store.latency_by_tile"),
      bytes("tma.winning_tile.latency", per_sm,
            "Smallest tile from which on a single load by the TMA takes no longer than by threads")};
  static void run(const Session& session) { find_latency(session); }
};

struct ThroughputProbe {
  static constexpr const char* id = "tma/throughput";
  static constexpr const char* question =
      "How fast does the TMA copy tiles, and from which size on faster than threads?";
  static constexpr double expected_seconds = 0.15;
  static constexpr double time_budget = 30;
  static constexpr auto needs =
      optional_needs("device.compute_capability", "l2.nominal_size", "device.shared_memory_per_sm", "dram.free");
  static constexpr std::array provides{
      declare::bytes_per_second("tma.bandwidth", per_device, "Highest bandwidth of bulk loads from global memory"),
      bandwidth_by_tile("tma.bandwidth_by_tile", "Pairs: bytes of a tile, bandwidth of bulk loads from global memory"),
      declare::bytes_per_second("tma.tensor.bandwidth", per_device,
                                "Highest bandwidth of tensor loads from global memory"),
      bandwidth_by_tile("tma.tensor.bandwidth_by_tile",
                        "Pairs: bytes of a box, bandwidth of tensor loads from global memory"),
      declare::bytes_per_second("tma.store.bandwidth", per_device, "Highest bandwidth of bulk stores to global memory"),
      bandwidth_by_tile("tma.store.bandwidth_by_tile",
                        "Pairs: bytes of a tile of at least 1 KiB, bandwidth of bulk stores to global memory"),
      declare::bytes_per_second("tma.bandwidth.l2", per_device, "Highest bandwidth of bulk loads from the L2"),
      bandwidth_by_tile("tma.l2_bandwidth_by_tile", "Pairs: bytes of a tile, bandwidth of bulk loads from the L2"),
      bandwidth_by_tile("tma.cp_async_l2_bandwidth_by_tile",
                        "Pairs: bytes of a tile, bandwidth of loads from the L2 by threads with cp.async"),
      bandwidth_by_tile("tma.plain_l2_bandwidth_by_tile",
                        "Pairs: bytes of a tile, bandwidth of loads from the L2 by threads with loads and stores of "
                        "16 B"),
      bytes("tma.saturating_tile", per_device, "Smallest tile with which bulk loads saturate global memory"),
      list("tma.saturating_tile_by_ctas", "B", per_device,
           "Pairs: CTAs on an SM, bytes of a tile with which these CTAs nearly saturate global memory"),
      bytes("tma.winning_tile", per_device,
            "Smallest tile from which on bulk loads are at least as fast as loads by threads")};
  static void run(const Session& session) { find_throughput(session); }
};

struct MulticastProbe {
  static constexpr const char* id = "tma/multicast";
  static constexpr const char* question = "What do CTAs of a cluster gain if one copy serves them all?";
  static constexpr double expected_seconds = 0.01;
  static constexpr double time_budget = 20;
  static constexpr std::array needs{need("cluster.max_size"), optional_need("device.compute_capability")};
  static constexpr std::array provides{
      list("tma.multicast.bandwidth", "B/s", per_sm,
           "Pairs: CTAs of a cluster, bytes per second that each CTA receives if every CTA loads its share for all"),
      list("tma.multicast.unicast_bandwidth", "B/s", per_sm,
           "Pairs: CTAs of a cluster, bytes per second that each CTA receives if every CTA loads everything itself")};
  static void run(const Session& session) { find_multicast(session); }
};

}  // namespace

}  // namespace tomograph::tma

using namespace tomograph::tma;

TOMOGRAPH_PLUGIN("tma", "1.0.0", "The Tensor Memory Accelerator: latency and throughput of its copies",
                 tomograph::Probes<LatencyProbe, ThroughputProbe, MulticastProbe>, Kernels)
