#include "tomograph/plugin.hpp"

#include "questions.hpp"
#include "tomograph/literal.hpp"

namespace tomograph::memory_concurrency {

namespace {

using declare::per_device;
using declare::per_sm;

/// The facts of random divergent loads that one level serves.
template <Literal level>
inline constexpr std::array gather_facts{
    declare::bytes_per_second(joined<level, ".bandwidth.gather">, per_device,
                              "Random loads of 32 blocks each, 32 B a block, of all SMs at saturation"),
    declare::list(joined<level, ".bandwidth.gather_by_lines">, "B/s", per_device,
                  "Triples: bytes of each lane, blocks that a load touches, bytes of 32-byte sectors per second"),
    declare::bytes_per_cycle(joined<level, ".bandwidth.gather_per_sm">, per_sm,
                             "Random loads of 32 blocks each of one SM while the others are idle")};

/// The facts of a curve of latency against load.
template <Literal part, Literal whose>
inline constexpr std::array queueing_facts{
    declare::list(joined<part, ".queueing_curve">, "", per_device,
                  joined<"Pairs: load in B/s, mean latency in cycles, of random loads of ", whose>),
    declare::bytes_per_second(joined<part, ".queueing_knee">, per_device,
                              "Load at which latency is 1.5 times that of an idle device")};

struct Misses {
  static constexpr const char* id = "memory-concurrency/misses";
  static constexpr const char* question = "How many misses does an SM keep in flight?";
  static constexpr double expected_seconds = 0.1;
  static constexpr double time_budget = 30;
  static constexpr auto needs = concatenated(std::array{need("device.sm_count")},
                                             optional_needs("l2.size", "l2.nominal_size", "dram.free", "dram.size",
                                                            "device.shared_memory_per_sm", "device.max_warps_per_sm"));
  static constexpr std::array provides{
      declare::ratio("l1_data.outstanding_misses", per_sm,
                     "Sectors in flight from one SM that more loads do not raise"),
      declare::ratio("l1_data.outstanding_misses_at_least", per_sm,
                     "Sectors in flight from one SM where another limit than their number comes first"),
      declare::list("l1_data.outstanding_misses_by_carveout", "1", per_sm,
                    "Triples: bytes of shared memory, bytes of each lane, sectors in flight from one SM")};
  static void run(const Session& session) { find_misses(session); }
};

struct L2 {
  static constexpr const char* id = "memory-concurrency/l2";
  static constexpr const char* question =
      "How fast are random divergent loads that L2 serves, and how does load delay them?";
  static constexpr double expected_seconds = 0.15;
  static constexpr double time_budget = 30;
  static constexpr auto needs =
      concatenated(std::array{need("device.sm_count")},
                   optional_needs("l2.size", "l2.nominal_size", "constant_l15.sm_groups", "device.max_warps_per_sm"));
  static constexpr auto provides = concatenated(
      concatenated(gather_facts<"l2">, queueing_facts<"l2", "all SMs">),
      concatenated(queueing_facts<"noc", "one SM alone, from L2">,
                   std::array{declare::list("l2.bandwidth.gather_by_group", "B/cycle", per_device,
                                            "Pairs: SMs of a group, their random loads while all others are idle")}));
  static void run(const Session& session) { find_l2(session); }
};

struct Dram {
  static constexpr const char* id = "memory-concurrency/dram";
  static constexpr const char* question =
      "How fast are random divergent loads that memory serves, and how does load delay them?";
  static constexpr double expected_seconds = 0.15;
  static constexpr double time_budget = 30;
  static constexpr auto needs =
      concatenated(std::array{need("device.sm_count")},
                   optional_needs("l2.size", "l2.nominal_size", "dram.free", "dram.size", "device.max_warps_per_sm"));
  static constexpr auto provides = concatenated(gather_facts<"dram">, queueing_facts<"dram", "all SMs">);
  static void run(const Session& session) { find_dram(session); }
};

inline constexpr auto needs_of_stores =
    concatenated(std::array{need("device.sm_count")},
                 optional_needs("l2.size", "l2.nominal_size", "dram.free", "dram.size", "device.max_warps_per_sm"));

template <Literal level>
inline constexpr std::array scatter_fact{declare::bytes_per_second(
    joined<level, ".bandwidth.scatter">, per_device,
    "Random stores of a word to 32 blocks each, 32 B a block, of all SMs at saturation: the bytes of the blocks")};

struct L2Stores {
  static constexpr const char* id = "memory-concurrency/l2-stores";
  static constexpr const char* question = "How fast are random stores that L2 takes?";
  static constexpr double expected_seconds = 0.02;
  static constexpr double time_budget = 30;
  static constexpr auto needs = needs_of_stores;
  static constexpr auto provides = scatter_fact<"l2">;
  static void run(const Session& session) { find_l2_stores(session); }
};

struct DramStores {
  static constexpr const char* id = "memory-concurrency/dram-stores";
  static constexpr const char* question = "How fast are random stores to memory?";
  static constexpr double expected_seconds = 0.03;
  static constexpr double time_budget = 30;
  static constexpr auto needs = needs_of_stores;
  static constexpr auto provides = scatter_fact<"dram">;
  static void run(const Session& session) { find_dram_stores(session); }
};

struct Lookups {
  static constexpr const char* id = "memory-concurrency/lookups";
  static constexpr const char* question = "How many lines does the L1 look up per cycle?";
  static constexpr double expected_seconds = 0.05;
  static constexpr double time_budget = 30;
  static constexpr std::array needs{optional_need("l1_data.size")};
  static constexpr std::array provides{
      declare::ratio("l1_data.lookups_per_cycle", per_sm, "Lines per cycle of loads that take one word of each bank"),
      declare::list("l1_data.cycles_by_lines", "cycle", per_sm,
                    "Triples: lines of a load that hits, most words of one of 32 banks, cycles of it and its address")};
  static void run(const Session& session) { find_lookups(session); }
};

struct Fetch {
  static constexpr const char* id = "memory-concurrency/fetch";
  static constexpr const char* question = "How many bytes does memory move for one request of 32 bytes?";
  static constexpr double expected_seconds = 0.05;
  static constexpr double time_budget = 20;
  static constexpr auto needs = optional_needs("l2.size", "l2.nominal_size", "dram.free", "dram.size");
  static constexpr std::array provides{declare::bytes("dram.fetch_bytes_per_request", per_device,
                                                      "Bytes that L2 holds after a request of 32 B that missed")};
  static void run(const Session& session) { find_fetch(session); }
};

}  // namespace

}  // namespace tomograph::memory_concurrency

using namespace tomograph::memory_concurrency;

TOMOGRAPH_PLUGIN("memory-concurrency", "1.0.0", "Misses in flight, random divergent loads, and latency under load",
                 tomograph::Probes<Misses, L2, Dram, L2Stores, DramStores, Lookups, Fetch>)
