#include "tomograph/session/plugin.hpp"

#include "accesses.hpp"

namespace tomograph::shared_memory {

namespace {

constexpr auto integer = TOMOGRAPH_INTEGER;
constexpr auto real = TOMOGRAPH_REAL;
constexpr auto list = TOMOGRAPH_LIST;
constexpr auto per_sm = TOMOGRAPH_PER_SM;

struct Sizes {
  static constexpr const char* id = "shared-memory/sizes";
  static constexpr const char* question = "How much shared memory do an SM and a CTA have?";
  static constexpr double expected_seconds = 0.01;
  static constexpr double time_budget = 20;
  static constexpr std::array provides{
      fact_spec("shared.size_per_sm", integer, "B", per_sm,
                "Shared memory of all CTAs on an SM, reserved bytes included"),
      fact_spec("shared.size_per_block", integer, "B", per_sm, "The most that one CTA can have"),
      fact_spec("shared.reserved_per_block", integer, "B", per_sm, "What each CTA takes beside its own")};
  static void run(const Session& session) { find_sizes(session); }
};

struct Latency {
  static constexpr const char* id = "shared-memory/latency";
  static constexpr const char* question = "How long does a load from shared memory take?";
  static constexpr double expected_seconds = 0.005;
  static constexpr double time_budget = 20;
  static constexpr std::array provides{
      fact_spec("shared.latency", real, "cycle", per_sm, "From a load of one lane to its use"),
      fact_spec("shared.broadcast_latency", real, "cycle", per_sm, "The same for all lanes of a warp at one word"),
      fact_spec("shared.latency_by_width", list, "cycle", per_sm,
                "Pairs: bytes per lane, latency of a warp at consecutive addresses")};
  static void run(const Session& session) { find_latency(session); }
};

struct Banks {
  static constexpr const char* id = "shared-memory/banks";
  static constexpr const char* question =
      "Into how many banks of what width is shared memory split, and what do conflicts cost?";
  static constexpr double expected_seconds = 0.03;
  static constexpr double time_budget = 30;
  static constexpr std::array provides{
      fact_spec("shared.banks", integer, "1", per_sm, "Number of banks"),
      fact_spec("shared.bank_width", integer, "B", per_sm, "Bytes that a bank delivers at once"),
      fact_spec("shared.modes", list, "B", per_sm, "Shares of consecutive addresses that banks can be set to"),
      fact_spec("shared.phase_lanes", integer, "1", per_sm, "Lanes of a warp that are served together"),
      fact_spec("shared.phases", list, "1", per_sm,
                "Pairs: bytes per lane, passes that a warp at consecutive addresses takes"),
      fact_spec("shared.conflict_latency", list, "cycle", per_sm, "Latency of 1-, 2-, ... 32-way bank conflicts")};
  static void run(const Session& session) { find_banks(session); }
};

struct Throughput {
  static constexpr const char* id = "shared-memory/throughput";
  static constexpr const char* question =
      "How many bytes per cycle does shared memory deliver, and how many warps does that take?";
  static constexpr double expected_seconds = 0.05;
  static constexpr double time_budget = 30;
  static constexpr std::array needs{optional_need("shared.latency")};
  static constexpr std::array provides{
      fact_spec("shared.bandwidth.read", real, "B/cycle", per_sm, "The most that loads bring"),
      fact_spec("shared.bandwidth.copy", real, "B/cycle", per_sm, "The most that copies of 4 B load and store"),
      fact_spec("shared.bandwidth_by_width", list, "B/cycle", per_sm,
                "Pairs: bytes per lane, the most that loads bring"),
      fact_spec("shared.saturating_warps", real, "1", per_sm,
                "Warps with one load of 4 B under way each that reach the roof")};
  static void run(const Session& session) { find_throughput(session); }
};

}  // namespace

}  // namespace tomograph::shared_memory

using namespace tomograph::shared_memory;

TOMOGRAPH_PLUGIN("shared-memory", "1.0.0", "Shared memory: sizes, banks, latency, conflicts, throughput",
                 tomograph::Probes<Sizes, Latency, Banks, Throughput>)
