#include "questions.hpp"
#include "tomograph/cache/probes.hpp"

namespace tomograph::data_cache {

namespace {

using cache::threshold_needs;
using namespace declare;

struct L1Latency : cache::LatencyProbe<l1> {
  static constexpr const char* question = "Does L1 cache global loads, and how long do hits and misses take?";
  static constexpr auto provides =
      concatenated(std::array{flag("l1_data.caches_global_loads", per_sm, "Whether L1 caches plain global loads")},
                   cache::latency_specs<l1>);
  static void run(const Session& session) { find_l1_latency(session); }
};

struct L1Size : cache::SizeProbe<l1> {
  static constexpr const char* question = "How many bytes of global data does L1 retain?";
  static constexpr double expected_seconds = 0.4;
  static constexpr auto needs =
      cache::with(cache::needs_of<l1, "line_size">(), optional_need("device.shared_memory_per_sm"));
  static constexpr std::array provides{
      capacity("l1_data.size", per_sm, "Usable capacity with the smallest carve-out"),
      list("l1_data.size_by_carveout", "B", per_sm, "Pairs: carve-out asked for, usable capacity of L1")};
  static void run(const Session& session) { find_l1_size(session); }
};

struct L2Partition {
  static constexpr const char* id = "data-cache/l2.partition";
  static constexpr const char* question = "Into how many partitions is L2 split, and how far away is the other one?";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 20;
  static constexpr std::array needs{need("device.sm_count"), optional_need("dram.free")};
  static constexpr std::array provides{
      count("l2.partition.count", per_device, "Number of partitions"),
      list("l2.partition.of_sm", "1", per_device, "Nearest partition of each SM, numbered by their lowest SMs"),
      flag("l2.partition.replicated", per_device, "Whether partitions keep copies of each other's lines"),
      cycles("l2.latency.near", per_partition, "Latency of a hit in the SM's own partition"),
      cycles("l2.latency.far", per_partition, "Latency of a hit in another partition")};
  static void run(const Session& session) { find_partitions(session); }
};

struct L2Latency : cache::LatencyProbe<l2> {
  static constexpr const char* question = "How long do hits and misses of L2 take, by SM?";
  static constexpr double expected_seconds = 0.2;
  static constexpr double time_budget = 30;
  static constexpr std::array needs{need("device.sm_count"), need("l2.partition.replicated"),
                                    optional_need("l2.latency.far"), optional_need("l2.nominal_size"),
                                    optional_need("dram.free")};
  static constexpr auto provides = concatenated(
      cache::latency_specs<l2>, std::array{list("l2.latency_by_sm", "cycle", per_sm, "Latency of a hit, by SM")});
  static void run(const Session& session) { find_l2_latency(session); }
};

struct L2Fetch : cache::FetchProbe<l2> {
  static constexpr double expected_seconds = 0.1;
  static constexpr auto needs =
      concatenated(threshold_needs<l2>, std::array{optional_need("l2.nominal_size"), optional_need("dram.free"),
                                                   optional_need("l1_data.fetch_granularity")});
};

struct L2Line : cache::LineProbe<l2> {
  static constexpr double expected_seconds = 0.3;
  static constexpr double time_budget = 120;
  static constexpr auto needs = concatenated(
      threshold_needs<l2>,
      std::array{need("l2.fetch_granularity"), optional_need("l2.nominal_size"), optional_need("dram.free")});
};

struct L2Size : cache::SizeProbe<l2> {
  static constexpr double expected_seconds = 0.6;
  static constexpr double time_budget = 240;
  static constexpr auto needs = concatenated(
      threshold_needs<l2>, std::array{need("l2.line_size"), need("l2.partition.count"), need("l2.partition.replicated"),
                                      optional_need("l2.nominal_size"), optional_need("dram.free")});
  static constexpr std::array provides{
      capacity("l2.size", per_device, "Usable capacity of all partitions"),
      capacity("l2.partition.size", per_partition, "Usable capacity of one partition")};
  static void run(const Session& session) { find_l2_size(session); }
};

struct L2Organisation : cache::OrganisationProbe<l2> {
  static constexpr double time_budget = 120;
  static constexpr auto needs =
      concatenated(threshold_needs<l2>,
                   std::array{need("l2.line_size"), need("l2.size"), need("l2.partition.size"),
                              need("l2.partition.replicated"), need("l2.partition.count"), need("l2.partition.of_sm"),
                              need("device.sm_count"), optional_need("l2.slices"), optional_need("l2.slice_function")});
  /// One SM fills the sets of its own partition.
  static constexpr auto of_sets = [] {
    auto facts = cache::organisation_facts<l2>;
    for (auto& fact : facts) fact.scope = per_partition;
    return facts;
  }();
  static constexpr auto provides = concatenated(
      of_sets,
      std::array{
          fact_spec("dram.channel.banks", TOMOGRAPH_INTEGER, "1", per_device, "Banks that serve one set of L2"),
          cycles("dram.bank_conflict_penalty", per_device,
                 "What the second of two misses waits if a bank must open another row"),
          fact_spec("dram.refresh.period", TOMOGRAPH_REAL, "s", per_device,
                    "Time from one refresh of a bank to the next"),
          fact_spec("dram.refresh.duration", TOMOGRAPH_REAL, "s", per_device,
                    "Time in which a bank refreshes and serves no load"),
          capacity("dram.row.run", per_device, "Bytes of a bank's row that lie side by side"),
          cycles("dram.row.hit_penalty", per_device, "What the second of two misses waits if both are in one row"),
          flag("dram.row.stays_open", per_device, "Whether a row stays open for a load that follows")});
  static void run(const Session& session) { find_l2_organisation(session); }
};

}  // namespace

}  // namespace tomograph::data_cache

using namespace tomograph::data_cache;

TOMOGRAPH_PLUGIN("data-cache", "1.0.0", "L1 and L2 data caches of global memory",
                 tomograph::Probes<L1Latency, tomograph::cache::FetchProbe<l1>, tomograph::cache::LineProbe<l1>, L1Size,
                                   tomograph::cache::OrganisationProbe<l1>, tomograph::cache::TaggingProbe<l1>,
                                   L2Partition, L2Latency, L2Fetch, L2Line, L2Size, L2Organisation>)
