#include "tomograph/session/plugin.hpp"

#include "probes.hpp"

#ifdef TMA_HAS_KERNELS
#include "executors.hpp"
#endif

namespace tomograph::tma {

namespace {

constexpr auto real = TOMOGRAPH_REAL;
constexpr auto list = TOMOGRAPH_LIST;
constexpr auto integer = TOMOGRAPH_INTEGER;
constexpr auto per_sm = TOMOGRAPH_PER_SM;
constexpr auto per_device = TOMOGRAPH_PER_DEVICE;

struct Latency {
  static constexpr const char* id = "tma/latency";
  static constexpr const char* question = "How long does the TMA take to copy a tile, by its size?";
  static constexpr double expected_seconds = 0.02;
  static constexpr double time_budget = 20;
  static constexpr std::array needs{optional_need("device.compute_capability")};
  static constexpr std::array provides{
      fact_spec("tma.latency", real, "cycle", per_sm, "A small tile from global to shared memory, to its barrier"),
      fact_spec("tma.latency.per_kib", real, "cycle", per_sm, "What each KiB of a large tile adds"),
      fact_spec("tma.latency_by_tile", list, "cycle", per_sm, "Pairs: bytes of a tile, latency"),
      fact_spec("tma.tensor.latency", real, "cycle", per_sm, "The same for a box of a tensor"),
      fact_spec("tma.tensor.latency.per_kib", real, "cycle", per_sm, "What each KiB of a large box adds"),
      fact_spec("tma.tensor.latency_by_tile", list, "cycle", per_sm, "Pairs: bytes of a box, latency"),
      fact_spec("tma.store.latency", real, "cycle", per_sm,
                "A small tile from shared to global memory, to the end of "
                "its group"),
      fact_spec("tma.store.latency.per_kib", real, "cycle", per_sm, "What each KiB of a large tile adds"),
      fact_spec("tma.store.latency_by_tile", list, "cycle", per_sm, "Pairs: bytes of a tile, latency"),
      fact_spec("tma.tensor.store.latency", real, "cycle", per_sm, "The same for a box of a tensor"),
      fact_spec("tma.tensor.store.latency.per_kib", real, "cycle", per_sm, "What each KiB of a large box adds"),
      fact_spec("tma.tensor.store.latency_by_tile", list, "cycle", per_sm, "Pairs: bytes of a box, latency"),
      fact_spec("tma.winning_tile.latency", integer, "B", per_sm,
                "Smallest tile from which on one alone comes sooner than by threads")};
  static void run(const Session& session) { find_latency(session); }
};

struct Throughput {
  static constexpr const char* id = "tma/throughput";
  static constexpr const char* question =
      "How fast does the TMA copy tiles, and from which size on faster than threads?";
  static constexpr double expected_seconds = 0.15;
  static constexpr double time_budget = 30;
  static constexpr std::array needs{optional_need("device.compute_capability"), optional_need("l2.nominal_size"),
                                    optional_need("device.shared_memory_per_sm")};
  static constexpr std::array provides{
      fact_spec("tma.bandwidth", real, "B/s", per_device, "The most that bulk copies bring from global memory"),
      fact_spec("tma.bandwidth_by_tile", list, "B/s", per_device, "Pairs: bytes of a tile, the same"),
      fact_spec("tma.tensor.bandwidth", real, "B/s", per_device, "The most that tensor copies bring"),
      fact_spec("tma.tensor.bandwidth_by_tile", list, "B/s", per_device, "Pairs: bytes of a box, the same"),
      fact_spec("tma.store.bandwidth", real, "B/s", per_device, "The most that bulk copies take to global memory"),
      fact_spec("tma.store.bandwidth_by_tile", list, "B/s", per_device, "Pairs: bytes of a tile, the same"),
      fact_spec("tma.bandwidth.l2", real, "B/s", per_device, "The most that bulk copies bring from the L2"),
      fact_spec("tma.l2_bandwidth_by_tile", list, "B/s", per_device, "Pairs: bytes of a tile, the same"),
      fact_spec("tma.cp_async_l2_bandwidth_by_tile", list, "B/s", per_device,
                "Pairs: bytes of a tile, the same with cp.async"),
      fact_spec("tma.plain_l2_bandwidth_by_tile", list, "B/s", per_device,
                "Pairs: bytes of a tile, the same with loads and stores of 16 B"),
      fact_spec("tma.saturating_tile", integer, "B", per_device, "Smallest tile that saturates global memory"),
      fact_spec("tma.saturating_tile_by_ctas", list, "B", per_device,
                "Pairs: CTAs on an SM, bytes of a tile with which so many nearly do"),
      fact_spec("tma.winning_tile", integer, "B", per_device,
                "Smallest tile from which on bulk copies are as fast as threads or faster")};
  static void run(const Session& session) { find_throughput(session); }
};

struct Multicast {
  static constexpr const char* id = "tma/multicast";
  static constexpr const char* question = "What do CTAs of a cluster gain where one copy serves them all?";
  static constexpr double expected_seconds = 0.01;
  static constexpr double time_budget = 20;
  static constexpr std::array needs{need("cluster.max_size"), optional_need("device.compute_capability")};
  static constexpr std::array provides{
      fact_spec("tma.multicast.bandwidth", list, "B/s", per_sm,
                "Pairs: CTAs of a cluster, bytes that come to each where every one loads its share for all"),
      fact_spec("tma.multicast.unicast_bandwidth", list, "B/s", per_sm,
                "The same where every one loads all for itself")};
  static void run(const Session& session) { find_multicast(session); }
};

#ifdef TMA_HAS_KERNELS
using Kernels = Executors<LatencyExecutor, ThroughputExecutor>;
#else
using Kernels = Executors<>;
#endif

}  // namespace

}  // namespace tomograph::tma

using namespace tomograph::tma;

TOMOGRAPH_PLUGIN("tma", "1.0.0", "The Tensor Memory Accelerator: latency and throughput of its copies",
                 tomograph::Probes<Latency, Throughput, Multicast>, tomograph::Devices<>, tomograph::Models<>, Kernels)
