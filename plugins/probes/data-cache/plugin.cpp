#include "level.hpp"
#include "tomograph/cache/probes.hpp"

namespace tomograph::data_cache {

namespace {

constexpr auto integer = TOMOGRAPH_INTEGER;
constexpr auto real = TOMOGRAPH_REAL;
constexpr auto per_sm = TOMOGRAPH_PER_SM;
constexpr auto per_device = TOMOGRAPH_PER_DEVICE;
constexpr auto per_partition = TOMOGRAPH_PER_PARTITION;

struct L1Latency {
  static constexpr const char* id = "data-cache/l1.latency";
  static constexpr const char* question = "Does L1 hold global loads, and how long do hits and misses take?";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 20;
  static constexpr std::array needs{need("device.sm_count")};
  static constexpr auto provides =
      cache::joined(std::array{fact_spec("l1_data.caches_global_loads", TOMOGRAPH_BOOLEAN, "", per_sm,
                                         "Whether L1 holds plain global loads")},
                    cache::latency_specs<l1>);
  static void run(const Session& session) { find_l1_latency(session); }
};

struct L1Size {
  static constexpr const char* id = "data-cache/l1.size";
  static constexpr const char* question = "How many bytes of global data does L1 retain?";
  static constexpr double expected_seconds = 0.4;
  static constexpr double time_budget = 60;
  static constexpr auto needs =
      cache::with(cache::needs_of<l1, "line_size">(), optional_need("device.shared_memory_per_sm"));
  static constexpr std::array provides{
      fact_spec("l1_data.size", integer, "B", per_sm, "Usable capacity with the smallest carve-out"),
      fact_spec("l1_data.size_by_carveout", TOMOGRAPH_LIST, "B", per_sm,
                "Pairs: shared memory asked for beside L1, usable capacity")};
  static void run(const Session& session) { find_l1_size(session); }
};

struct L2Partition {
  static constexpr const char* id = "data-cache/l2.partition";
  static constexpr const char* question = "Into how many partitions is L2 split, and how far is the other one?";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 20;
  static constexpr std::array needs{need("device.sm_count")};
  static constexpr std::array provides{
      fact_spec("l2.partition.count", integer, "1", per_device, "Partitions that SMs are near to or far from"),
      fact_spec("l2.partition.of_sm", TOMOGRAPH_LIST, "1", per_device,
                "Partition that each SM is near to, numbered by lowest SM"),
      fact_spec("l2.partition.replicated", TOMOGRAPH_BOOLEAN, "", per_device,
                "Whether partitions keep copies of each other's lines"),
      fact_spec("l2.latency.near", real, "cycle", per_partition, "Hit in the SM's own partition"),
      fact_spec("l2.latency.far", real, "cycle", per_partition, "Hit in another partition")};
  static void run(const Session& session) { find_partitions(session); }
};

struct L2Latency {
  static constexpr const char* id = "data-cache/l2.latency";
  static constexpr const char* question = "How long do hits and misses of L2 take, by SM?";
  static constexpr double expected_seconds = 0.2;
  static constexpr double time_budget = 30;
  static constexpr std::array needs{need("device.sm_count"), need("l2.partition.replicated"),
                                    optional_need("l2.latency.far"), optional_need("l2.nominal_size")};
  static constexpr auto provides =
      cache::joined(cache::latency_specs<l2>, std::array{fact_spec("l2.latency_by_sm", TOMOGRAPH_LIST, "cycle", per_sm,
                                                                   "From a load to its use on a hit, for each SM")});
  static void run(const Session& session) { find_l2_latency(session); }
};

struct L2Fetch {
  static constexpr const char* id = "data-cache/l2.fetch";
  static constexpr const char* question = "How many bytes does one miss of L2 bring?";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 20;
  static constexpr auto needs =
      cache::joined(cache::threshold_needs<l2>,
                    std::array{optional_need("l2.nominal_size"), optional_need("l1_data.fetch_granularity")});
  static constexpr std::array provides{
      fact_spec("l2.fetch_granularity", integer, "B", per_device, "Bytes that one miss brings from memory"),
      fact_spec("l2.sector_size", integer, "B", per_device, "Smallest part of a line that is valid on its own")};
  static void run(const Session& session) { cache::find_fetch(session, l2); }
};

struct L2Line {
  static constexpr const char* id = "data-cache/l2.line";
  static constexpr const char* question = "How many bytes does L2 evict as a whole?";
  static constexpr double expected_seconds = 0.3;
  static constexpr double time_budget = 60;
  static constexpr auto needs = cache::joined(
      cache::threshold_needs<l2>, std::array{need("l2.fetch_granularity"), optional_need("l2.nominal_size")});
  static constexpr std::array provides{fact_spec("l2.line_size", integer, "B", per_device, "Bytes of a line")};
  static void run(const Session& session) { cache::find_line(session, l2); }
};

struct L2Size {
  static constexpr const char* id = "data-cache/l2.size";
  static constexpr const char* question = "How many bytes does L2 retain?";
  static constexpr double expected_seconds = 0.6;
  static constexpr double time_budget = 60;
  static constexpr auto needs = cache::joined(
      cache::threshold_needs<l2>, std::array{need("l2.line_size"), need("l2.partition.count"),
                                             need("l2.partition.replicated"), optional_need("l2.nominal_size")});
  static constexpr std::array provides{
      fact_spec("l2.size", integer, "B", per_device, "Usable capacity of all partitions"),
      fact_spec("l2.partition.size", integer, "B", per_partition, "Usable capacity of one partition")};
  static void run(const Session& session) { find_l2_size(session); }
};

struct L2Organisation {
  static constexpr const char* id = "data-cache/l2.organisation";
  static constexpr const char* question = "Into which sets does L2 put lines, and which does it replace?";
  static constexpr double expected_seconds = 0.5;
  static constexpr double time_budget = 120;
  static constexpr auto needs = cache::joined(
      cache::threshold_needs<l2>,
      std::array{need("l2.line_size"), need("l2.size"), need("l2.partition.size"), need("l2.partition.replicated")});
  static constexpr std::array provides{
      fact_spec("l2.sets", integer, "1", per_partition, "Number of sets that one SM fills"),
      fact_spec("l2.ways", integer, "1", per_partition, "Ways of every set, where all have the same"),
      fact_spec("l2.set_ways", TOMOGRAPH_LIST, "1", per_partition, "Ways of each set"),
      fact_spec("l2.index", TOMOGRAPH_TABLE, "", per_partition, "Which address bits choose the set"),
      fact_spec("l2.replacement", TOMOGRAPH_TEXT, "", per_partition, "How a set chooses its victims"),
      fact_spec("l2.way_probability", TOMOGRAPH_LIST, "1", per_partition, "How often each way is the victim")};
  static void run(const Session& session) {
    const char* seen_size = l2_is_replicated(session) ? "l2.partition.size" : "l2.size";
    cache::find_organisation(session, l2, session.needed<std::int64_t>(seen_size));
  }
};

}  // namespace

}  // namespace tomograph::data_cache

using namespace tomograph::data_cache;

TOMOGRAPH_PLUGIN("data-cache", "1.0.0", "L1 and L2 data caches of global memory",
                 tomograph::Probes<L1Latency, tomograph::cache::FetchProbe<l1>, tomograph::cache::LineProbe<l1>, L1Size,
                                   tomograph::cache::OrganisationProbe<l1>, tomograph::cache::TaggingProbe<l1>,
                                   L2Partition, L2Latency, L2Fetch, L2Line, L2Size, L2Organisation>)
