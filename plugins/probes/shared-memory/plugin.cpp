#include "tomograph/plugin.hpp"

#include "questions.hpp"

namespace tomograph::shared_memory {

namespace {

using declare::per_sm;

struct Sizes {
  static constexpr const char* id = "shared-memory/sizes";
  static constexpr const char* question = "How much shared memory do an SM and a CTA have?";
  static constexpr double expected_seconds = 0.01;
  static constexpr double time_budget = 20;
  static constexpr bool shares_device = true;
  static constexpr std::array provides{
      declare::bytes("shared.size_per_sm", per_sm, "Shared memory of an SM, reserved bytes included"),
      declare::bytes("shared.size_per_block", per_sm, "Most shared memory of one CTA"),
      declare::bytes("shared.reserved_per_block", per_sm, "Shared memory that each CTA takes in addition to its own")};
  static void run(const Session& session) { find_sizes(session); }
};

struct Latency {
  static constexpr const char* id = "shared-memory/latency";
  static constexpr const char* question = "How long does a load from shared memory take?";
  static constexpr double expected_seconds = 0.005;
  static constexpr double time_budget = 20;
  static constexpr bool shares_device = true;
  static constexpr std::array provides{
      declare::cycles("shared.latency", per_sm, "Latency of a load of one lane"),
      declare::cycles("shared.broadcast_latency", per_sm, "Latency of a load of all lanes of a warp from one word"),
      declare::list("shared.latency_by_width", "cycle", per_sm,
                    "Pairs: bytes per lane, latency of a load of a warp from consecutive addresses")};
  static void run(const Session& session) { find_latency(session); }
};

struct Banks {
  static constexpr const char* id = "shared-memory/banks";
  static constexpr const char* question =
      "Into how many banks of what width is shared memory split, and what do conflicts cost?";
  static constexpr double expected_seconds = 0.03;
  static constexpr double time_budget = 30;
  static constexpr bool shares_device = true;
  static constexpr std::array provides{
      declare::count("shared.banks", per_sm, "Number of banks"),
      declare::bytes("shared.bank_width", per_sm, "Bytes that a bank delivers at once"),
      declare::list("shared.modes", "B", per_sm, "Bytes of consecutive addresses per bank to which banks can be set"),
      declare::count("shared.phase_lanes", per_sm, "Lanes of a warp that are served together"),
      declare::list("shared.phases", "1", per_sm,
                    "Pairs: bytes per lane, passes of a load of a warp from consecutive addresses"),
      declare::list("shared.conflict_latency", "cycle", per_sm, "Latency of 1-, 2-, ... 32-way bank conflicts")};
  static void run(const Session& session) { find_banks(session); }
};

struct Modes {
  static constexpr const char* id = "shared-memory/modes";
  static constexpr const char* question = "Which strides conflict in each mode of the banks?";
  static constexpr double expected_seconds = 0.01;
  static constexpr double time_budget = 20;
  static constexpr bool shares_device = true;
  static constexpr std::array needs{need("shared.modes"), need("shared.conflict_latency")};
  static constexpr std::array provides{
      declare::list("shared.conflict_ways_by_mode", "1", per_sm,
                    "Pairs: mode in bytes, ways of the conflict of a warp whose lanes are 0, 1, ... 64 words apart")};
  static void run(const Session& session) { find_conflicts_by_mode(session); }
};

struct MeiCopies {
  static constexpr const char* id = "shared-memory/mei2017.copies";
  static constexpr const char* question = "How fast are copies by CTA size, CTAs per SM and ILP (Mei & Chu 2017)?";
  static constexpr const char* method = "mei2017";
  static constexpr double expected_seconds = 0.05;
  static constexpr double time_budget = 30;
  static constexpr std::array provides{
      declare::list("shared.copy_throughput", "", per_sm,
                    "Lists: threads of a CTA, CTAs per SM, ILP, bytes loaded and stored per cycle")};
  static void run(const Session& session) { follow_mei_copies(session); }
};

struct Throughput {
  static constexpr const char* id = "shared-memory/throughput";
  static constexpr const char* question =
      "How many bytes per cycle does shared memory deliver, and how many warps does that take?";
  static constexpr double expected_seconds = 0.05;
  static constexpr double time_budget = 30;
  static constexpr bool shares_device = true;
  static constexpr std::array needs{optional_need("shared.latency")};
  static constexpr std::array provides{
      declare::bytes_per_cycle("shared.bandwidth.read", per_sm, "Highest throughput of loads"),
      declare::bytes_per_cycle("shared.bandwidth.copy", per_sm,
                               "Highest throughput of copies of 4 B, loads plus stores"),
      declare::list("shared.bandwidth_by_width", "B/cycle", per_sm,
                    "Pairs: bytes per lane, highest throughput of loads"),
      declare::ratio("shared.saturating_warps", per_sm,
                     "Warps with one load of 4 B in flight each that reach the highest throughput")};
  static void run(const Session& session) { find_throughput(session); }
};

struct StoreThroughput {
  static constexpr const char* id = "shared-memory/store-throughput";
  static constexpr const char* question = "How many bytes per cycle does shared memory take?";
  static constexpr double expected_seconds = 0.02;
  static constexpr double time_budget = 30;
  static constexpr bool shares_device = true;
  static constexpr std::array provides{
      declare::bytes_per_cycle("shared.bandwidth.write", per_sm, "Highest throughput of stores")};
  static void run(const Session& session) { find_store_throughput(session); }
};

}  // namespace

}  // namespace tomograph::shared_memory

using namespace tomograph::shared_memory;

TOMOGRAPH_PLUGIN("shared-memory", "1.0.0", "Shared memory: sizes, banks, latency, conflicts, throughput",
                 tomograph::Probes<Sizes, Latency, Banks, Modes, Throughput, StoreThroughput, MeiCopies>)
