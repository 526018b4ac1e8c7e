#include "tomograph/session/plugin.hpp"

#include "question.hpp"

namespace tomograph::tlb {

namespace {

constexpr auto integer = TOMOGRAPH_INTEGER;
constexpr auto list = TOMOGRAPH_LIST;
constexpr auto text = TOMOGRAPH_TEXT;
constexpr auto real = TOMOGRAPH_REAL;
constexpr auto per_sm = TOMOGRAPH_PER_SM;
constexpr auto per_device = TOMOGRAPH_PER_DEVICE;

struct Levels {
  static constexpr const char* id = "tlb/levels";
  static constexpr const char* question = "Which levels of TLB show, what do they reach, and how are they built?";
  static constexpr double expected_seconds = 0.8;
  static constexpr double time_budget = 120;
  static constexpr std::array needs{
      need("l2.line_size"),       optional_need("l2.size"),   optional_need("l2.nominal_size"),
      optional_need("dram.free"), optional_need("dram.size"), optional_need("device.max_shared_memory_per_block")};
  static constexpr std::array provides{
      fact_spec("tlb.l1.entries", integer, "1", per_sm, "Entries of the first level"),
      fact_spec("tlb.l1.entry_span", integer, "B", per_sm, "Bytes that one entry serves"),
      fact_spec("tlb.l1.page_size", integer, "B", per_sm, "Bytes that one miss brings"),
      fact_spec("tlb.l1.reach", integer, "B", per_sm, "Bytes that all entries serve"),
      fact_spec("tlb.l1.set_ways", list, "1", per_sm, "Ways of each set"),
      fact_spec("tlb.l1.replacement", text, "", per_sm, "How a set chooses its victims"),
      fact_spec("tlb.l1.miss_penalty", real, "cycle", per_sm, "What a miss that hits the next level takes longer"),
      fact_spec("tlb.l2.entries", integer, "1", per_device, "Entries of the second level"),
      fact_spec("tlb.l2.entry_span", integer, "B", per_device, "Bytes that one entry serves"),
      fact_spec("tlb.l2.page_size", integer, "B", per_device, "Bytes that one miss brings"),
      fact_spec("tlb.l2.reach", integer, "B", per_device, "Bytes that all entries serve"),
      fact_spec("tlb.l2.set_ways", list, "1", per_device, "Ways of each set"),
      fact_spec("tlb.l2.replacement", text, "", per_device, "How a set chooses its victims"),
      fact_spec("tlb.l2.miss_penalty", real, "cycle", per_device, "What a miss takes longer than a hit of this level"),
      fact_spec("tlb.l3.entries", integer, "1", per_device, "Entries of the third level"),
      fact_spec("tlb.l3.entry_span", integer, "B", per_device, "Bytes that one entry serves"),
      fact_spec("tlb.l3.page_size", integer, "B", per_device, "Bytes that one miss brings"),
      fact_spec("tlb.l3.reach", integer, "B", per_device, "Bytes that all entries serve"),
      fact_spec("tlb.l3.set_ways", list, "1", per_device, "Ways of each set"),
      fact_spec("tlb.l3.replacement", text, "", per_device, "How a set chooses its victims"),
      fact_spec("tlb.l3.miss_penalty", real, "cycle", per_device, "What a miss takes longer than a hit of this level"),
      fact_spec("page_window.size", integer, "B", per_device, "Bytes whose page table is active at a time"),
      fact_spec("page_window.miss_penalty", real, "cycle", per_device, "What it takes to activate another window")};
  static void run(const Session& session) { find_tlbs(session); }
};

}  // namespace

}  // namespace tomograph::tlb

TOMOGRAPH_PLUGIN("tlb", "1.0.0", "Translation look-aside buffers and the page-table window",
                 tomograph::Probes<tomograph::tlb::Levels>)
