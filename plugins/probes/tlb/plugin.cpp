#include "tomograph/plugin.hpp"

#include "questions.hpp"
#include "tomograph/literal.hpp"

namespace tomograph::tlb {

namespace {

/// The facts of one level, "l1" or the like.
template <Literal level, tomograph_scope scope>
inline constexpr std::array level_facts{
    declare::count(joined<"tlb.", level, ".entries">, scope, "Number of entries"),
    declare::bytes(joined<"tlb.", level, ".entry_span">, scope, "Bytes that one entry serves"),
    declare::bytes(joined<"tlb.", level, ".page_size">, scope, "Bytes that one miss brings"),
    declare::bytes(joined<"tlb.", level, ".reach">, scope, "Bytes that all entries serve"),
    declare::list(joined<"tlb.", level, ".set_ways">, "1", scope, "Ways of each set"),
    declare::text(joined<"tlb.", level, ".replacement">, scope, "Replacement policy of a set"),
    declare::cycles(joined<"tlb.", level, ".miss_penalty">, scope, "Extra latency of a miss of this level alone")};

struct Levels {
  static constexpr const char* id = "tlb/levels";
  static constexpr const char* question = "Which levels of TLB are there, what do they reach, and how are they built?";
  static constexpr double expected_seconds = 0.8;
  static constexpr double time_budget = 240;
  static constexpr auto needs = optional_needs("l2.line_size", "l2.size", "l2.nominal_size", "dram.free", "dram.size",
                                               "device.max_shared_memory_per_block", "l2.partition.count",
                                               "l2.partition.replicated", "l2.latency");
  static constexpr auto provides = concatenated(
      level_facts<"l1", declare::per_sm>, level_facts<"l2", declare::per_device>,
      level_facts<"l3", declare::per_device>,
      std::array{
          declare::bytes("page_window.size", declare::per_device, "Bytes whose page tables are active at a time"),
          declare::cycles("page_window.miss_penalty", declare::per_device, "Cost of switching the page-table window")});
  static void run(const Session& session) { find_tlbs(session); }
};

}  // namespace

}  // namespace tomograph::tlb

TOMOGRAPH_PLUGIN("tlb", "1.0.0", "Translation look-aside buffers and the page-table window",
                 tomograph::Probes<tomograph::tlb::Levels>)
