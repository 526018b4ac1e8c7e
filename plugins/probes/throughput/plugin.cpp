#include "tomograph/plugin.hpp"

#include "questions.hpp"
#include "tomograph/literal.hpp"

namespace tomograph::throughput {

namespace {

using declare::per_device;
using declare::per_sm;

/// The facts of a level that all SMs share. `served` says which accesses count.
template <Literal level, Literal served>
inline constexpr std::array shared_level_facts{
    declare::bytes_per_second(joined<level, ".bandwidth.read">, per_device, joined<"Reads of all SMs ", served>),
    declare::bytes_per_second(joined<level, ".bandwidth.write">, per_device, joined<"Writes of all SMs ", served>),
    declare::bytes_per_second(joined<level, ".bandwidth.copy">, per_device,
                              "Bytes read plus bytes written, of all SMs"),
    fact_spec(joined<level, ".saturating_bytes_in_flight">, TOMOGRAPH_REAL, "B", per_device,
              "Bytes in flight from all SMs at which reads reach 95 % of their maximum")};

struct L1 {
  static constexpr const char* id = "throughput/l1";
  static constexpr const char* question = "How many bytes per cycle does the L1 data cache deliver to its SM?";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 30;
  static constexpr std::array needs{need("device.sm_count"), need("l1_data.size"),
                                    optional_need("device.max_warps_per_sm")};
  static constexpr std::array provides{
      declare::bytes_per_cycle("l1_data.bandwidth.read", per_sm, "Most bytes per cycle that one SM reads from its L1")};
  static void run(const Session& session) { find_l1(session); }
};

struct L1Writes {
  static constexpr const char* id = "throughput/l1.write";
  static constexpr const char* question = "How many bytes per cycle does one SM write through its L1 data cache?";
  static constexpr double expected_seconds = 0.05;
  static constexpr double time_budget = 30;
  static constexpr std::array needs{need("device.sm_count"), need("l1_data.size"),
                                    optional_need("device.max_warps_per_sm")};
  static constexpr std::array provides{
      declare::bytes_per_cycle("l1_data.bandwidth.write", per_sm,
                               "Writes of one SM to a footprint of the size of its L1, while the others are idle")};
  static void run(const Session& session) { find_l1_writes(session); }
};

/// A cache that is only read. `name` is how people call it.
template <Literal cache, Literal name, void (*find)(const Session&)>
struct ReadPath {
  static constexpr const char* id = joined<"throughput/", cache>;
  static constexpr const char* question = joined<"How many bytes per cycle does the ", name, " deliver to its SM?">;
  static constexpr double expected_seconds = 0.05;
  static constexpr double time_budget = 30;
  // Without a latency of its own there is no such cache.
  static constexpr std::array needs{need("device.sm_count"), need(joined<cache, ".latency">),
                                    need(joined<cache, ".size">), optional_need("device.max_warps_per_sm")};
  static constexpr std::array provides{declare::bytes_per_cycle(joined<cache, ".bandwidth.read">, per_sm,
                                                                "Most bytes per cycle that one SM reads from it")};
  static void run(const Session& session) { find(session); }
};

using ReadOnly = ReadPath<"read_only", "read-only cache", find_read_only>;
using Texture = ReadPath<"texture", "texture cache", find_texture>;
using Constant = ReadPath<"constant_l1", "first constant cache", find_constant>;

struct L2 {
  static constexpr const char* id = "throughput/l2";
  static constexpr const char* question = "How fast do all SMs together, and one alone, read, write and copy in L2?";
  static constexpr double expected_seconds = 0.3;
  static constexpr double time_budget = 60;
  static constexpr auto needs =
      concatenated(std::array{need("device.sm_count")},
                   optional_needs("l2.size", "l2.nominal_size", "l2.partition.count", "l2.partition.replicated",
                                  "l2.partition.size", "device.max_warps_per_sm"));
  static constexpr auto provides = concatenated(
      shared_level_facts<"l2", "that hit, each byte by one SM">,
      std::array{
          declare::bytes_per_second("l2.bandwidth.near", per_device, "Reads of all SMs from their own partitions"),
          declare::bytes_per_cycle("l2.bandwidth.read_per_sm", per_sm, "Reads of one SM while the others are idle")});
  static void run(const Session& session) { find_l2(session); }
};

struct Noc {
  static constexpr const char* id = "throughput/noc";
  static constexpr const char* question = "How much does the interconnect between SMs and L2 transfer?";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 60;
  static constexpr auto needs =
      concatenated(std::array{need("device.sm_count")},
                   optional_needs("l2.size", "l2.nominal_size", "constant_l15.sm_groups", "device.max_warps_per_sm"));
  static constexpr std::array provides{
      declare::bytes_per_second(
          "noc.bandwidth", per_device,
          "Sum over the groups of SMs of their reads from L2, each group while all others are idle"),
      declare::list("noc.bandwidth_by_group", "B/cycle", per_device,
                    "Pairs: SMs of a group, their reads from L2 while all others are idle"),
      declare::bytes_per_cycle("noc.bandwidth_per_sm", per_sm, "Reads of one SM from L2 while all others are idle")};
  static void run(const Session& session) { find_noc(session); }
};

struct NocLevels {
  static constexpr const char* id = "throughput/noc.levels";
  static constexpr const char* question =
      "How fast do the SMs of a TPC, CPC, GPC or L2 partition read from L2 together, and how much less than alone?";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 60;
  static constexpr auto needs = concatenated(
      std::array{need("device.sm_count")},
      optional_needs("l2.size", "l2.nominal_size", "device.max_warps_per_sm", "noc.bandwidth_per_sm",
                     "l2.equal_latency.sm_groups", "sm.map", "constant_l15.sm_groups", "l2.partition.of_sm"));
  static constexpr std::array provides{
      declare::bytes_per_cycle("noc.bandwidth_per_tpc", per_device,
                               "Reads of the SMs of one TPC from L2 while all others are idle"),
      declare::bytes_per_cycle("noc.bandwidth_per_cpc", per_device,
                               "Reads of the SMs of one CPC from L2 while all others are idle"),
      declare::bytes_per_cycle("noc.bandwidth_per_gpc", per_device,
                               "Reads of the SMs of one GPC from L2 while all others are idle"),
      declare::bytes_per_cycle("noc.bandwidth_per_partition", per_device,
                               "Reads of the SMs near one partition of L2 from all of it while all others are idle")};
  static void run(const Session& session) { find_noc_levels(session); }
};

struct Dram {
  static constexpr const char* id = "throughput/dram";
  static constexpr const char* question =
      "How fast is global memory read, written and copied, and how many bytes in flight does that take?";
  static constexpr double expected_seconds = 0.5;
  static constexpr double time_budget = 120;
  static constexpr auto needs = concatenated(std::array{need("device.sm_count")},
                                             optional_needs("l2.size", "l2.nominal_size", "dram.size", "dram.free",
                                                            "dram.bandwidth.theoretical", "device.max_warps_per_sm"));
  static constexpr auto provides =
      concatenated(shared_level_facts<"dram", "that no cache serves">,
                   std::array{declare::ratio("dram.bandwidth.efficiency", per_device,
                                             "Measured read bandwidth divided by the theoretical one")});
  static void run(const Session& session) { find_dram(session); }
};

struct DramByElement {
  static constexpr const char* id = "throughput/dram.element";
  static constexpr const char* question = "How fast is global memory copied by elements of 1 to 16 bytes?";
  static constexpr double expected_seconds = 0.3;
  static constexpr double time_budget = 120;
  static constexpr auto needs =
      concatenated(std::array{need("device.sm_count")},
                   optional_needs("l2.size", "l2.nominal_size", "dram.size", "dram.free", "device.max_warps_per_sm"));
  static constexpr std::array provides{declare::list("dram.bandwidth_by_element", "B/s", per_device,
                                                     "Pairs: bytes of an element, bytes read plus written per second")};
  static void run(const Session& session) { find_dram_by_element(session); }
};

struct MeiCopies {
  static constexpr const char* id = "throughput/mei2017.copies";
  static constexpr const char* question =
      "How fast is global memory copied by CTAs, CTA size and ILP (Mei & Chu 2017)?";
  static constexpr const char* method = "mei2017";
  static constexpr double expected_seconds = 0.5;
  static constexpr double time_budget = 60;
  static constexpr std::array needs = DramByElement::needs;
  static constexpr std::array provides{
      declare::list("dram.copy_throughput", "", per_device,
                    "Lists: CTAs per SM, threads of a CTA, ILP, bytes read plus written per second")};
  static void run(const Session& session) { follow_mei_copies(session); }
};

}  // namespace

}  // namespace tomograph::throughput

using namespace tomograph::throughput;

TOMOGRAPH_PLUGIN(
    "throughput", "1.0.0", "Bandwidth of L1, L2 and global memory",
    tomograph::Probes<L1, L1Writes, ReadOnly, Texture, Constant, L2, Noc, NocLevels, Dram, DramByElement, MeiCopies>)
