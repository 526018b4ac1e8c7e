#include <algorithm>
#include <bit>
#include <cstdint>

#include "copies.hpp"
#include "paper.hpp"

namespace tomograph::bench::mei_chu_2017_paper {

namespace {

constexpr double kib = 1024;
constexpr double mib = 1024 * kib;
constexpr double giga = 1e9;
constexpr const char* gpus[] = {"gtx560ti", "gtx780", "gtx980"};

/// One row for each of the three GPUs, from left to right.
void add(std::vector<Row>& rows, const std::string& where, const std::string& what, const std::vector<Json>& values,
         const std::string& unit, const Recovery& recovery, Tolerance tolerance = exactly,
         const std::string& method = {}) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].is_null()) continue;
    rows.push_back({where, what, gpus[i], values[i], unit, recovery, tolerance});
    rows.back().method = method;
  }
}

/// What a load from memory brings into L2, as part of its size.
Recovery prefetched() {
  return {{"l2.prefetch", "l2.nominal_size"},
          [](const std::vector<Json>& values) {
            return Json(values[0].at("size").get<double>() / values[1].get<double>());
          },
          true};
}

std::vector<std::uint64_t> masks_of(const Json& index) {
  std::vector<std::uint64_t> masks;
  for (const Json& mask : index.at("masks")) masks.push_back(std::stoull(mask.get<std::string>(), nullptr, 16));
  return masks;
}

/// Address bits each of which alone selects between sets.
Recovery bits_that_select_alone(const std::string& index) {
  return {{index},
          [](const std::vector<Json>& values) {
            Json bits = Json::array();
            for (const std::uint64_t mask : masks_of(values.front())) {
              if (std::has_single_bit(mask)) bits.push_back(std::countr_zero(mask));
            }
            return bits;
          },
          true};
}

/// Of so many lines in a row, counted from 1, those in one set with the last one.
Recovery lines_with_last(const std::string& cache, std::uint64_t count) {
  return {{cache + ".index", cache + ".line_size"},
          [count](const std::vector<Json>& values) {
            const auto masks = masks_of(values[0]);
            const auto line_size = values[1].get<std::uint64_t>();
            const auto shares_set = [&](std::uint64_t line) {
              const std::uint64_t difference = (line * line_size) ^ ((count - 1) * line_size);
              return std::ranges::all_of(masks,
                                         [&](std::uint64_t mask) { return std::popcount(difference & mask) % 2 == 0; });
            };
            Json lines = Json::array();
            for (std::uint64_t line = 0; line < count; ++line) {
              if (shares_set(line)) lines.push_back(line + 1);
            }
            return lines;
          },
          true};
}

void add_properties(std::vector<Row>& rows) {
  const std::string where = "Table 3, memory properties";
  add(rows, where, "compute capability", {"2.1", "3.5", "5.2"}, "", fact("device.compute_capability"));
  add(rows, where, "SMs", {8, 12, 16}, "", fact("device.sm_count"));
  add(rows, where, "global loads in L1", {true, false, true}, "", fact("l1_data.caches_global_loads"));
  add(rows, where, "L1", {16, nullptr, 24}, "KB", fact("l1_data.size", kib));
  add(rows, where, "read-only cache", {nullptr, 12, 24}, "KB", fact("read_only.size", kib));
  add(rows, where, "L2", {512, 1536, 2048}, "KB", fact("l2.size", kib));
  add(rows, where, "global memory, total size", {1024, 3072, 4096}, "MB", fact("dram.size", mib));
  add(rows, where, "shared memory, size per SM", {48, 48, 96}, "KB", fact("shared.size_per_sm", kib));
  add(rows, where, "shared memory, maximum size per CTA", {48, 48, 48}, "KB", fact("shared.size_per_block", kib));
  add(rows, where, "shared memory, banks", {32, 32, 32}, "", fact("shared.banks"));
  add(rows, where, "shared memory, bank width", {4, 8, 4}, "B", fact("shared.bank_width"));
  add(rows, where, "texture L1 cache", {12, 12, 24}, "KB", fact("texture.size", kib));
}

/// What Table 3 and section 4.4 repeat of the GTX 280.
void add_gtx280(std::vector<Row>& rows) {
  const auto add_one = [&](const std::string& what, Json value, const std::string& unit, Recovery recovery) {
    rows.push_back(
        {"Table 3 and section 4.4, GTX 280", what, "gtx280", std::move(value), unit, std::move(recovery), exactly});
  };
  add_one("compute capability", "1.3", "", fact("device.compute_capability"));
  add_one("SMs", 30, "", fact("device.sm_count"));
  add_one("global loads in L1", false, "", fact("l1_data.caches_global_loads"));
  add_one("global memory, total size", 1024, "MB", fact("dram.size", mib));
  add_one("shared memory, size per SM", 16, "KB", fact("shared.size_per_sm", kib));
  add_one("shared memory, maximum size per CTA", 16, "KB", fact("shared.size_per_block", kib));
  add_one("shared memory, banks", 16, "", fact("shared.banks"));
  add_one("shared memory, bank width", 4, "B", fact("shared.bank_width"));
  add_one("texture L1 cache (6 to 8 KB)", 8, "KB", fact("texture.size", kib));
  add_one("SMs of a TPC, which share texture units", 3, "", fact("texture.sms_per_instance"));
  add_one("L1 TLB, ways", 16, "", element("tlb.l1.set_ways", 0));
  add_one("L1 TLB, sets", 1, "", count("tlb.l1.set_ways"));
  add_one("L2 TLB, ways", 8, "", element("tlb.l2.set_ways", 0));
}

void add_caches(std::vector<Row>& rows) {
  const std::string where = "Table 5, parameters of common GPU caches";
  add(rows, where, "Fermi L1 data cache, C", {16}, "KB", fact("l1_data.size", kib));
  add(rows, where, "Fermi L1 data cache, b", {128}, "B", fact("l1_data.line_size"));
  add(rows, where, "Fermi L1 data cache, T", {32}, "", fact("l1_data.sets"));
  add(rows, where, "Fermi L1 data cache, LRU", {false}, "", is("l1_data.replacement", "lru"));
  add(rows, where, "L1 TLB, C", {32, 32, 32}, "MB", fact("tlb.l1.reach", mib));
  add(rows, where, "L1 TLB, b", {2, 2, 2}, "MB", fact("tlb.l1.entry_span", mib));
  add(rows, where, "L1 TLB, T", {1, 1, 1}, "", count("tlb.l1.set_ways"));
  add(rows, where, "L1 TLB, LRU", {false, false, false}, "", is("tlb.l1.replacement", "lru"));
  add(rows, where, "L2 TLB, C", {130, 130, 130}, "MB", fact("tlb.l2.reach", mib));
  add(rows, where, "L2 TLB, b", {2, 2, 2}, "MB", fact("tlb.l2.entry_span", mib));
  add(rows, where, "L2 TLB, T", {7, 7, 7}, "", count("tlb.l2.set_ways"));
  add(rows, where, "L2 TLB, LRU", {true, true, true}, "", is("tlb.l2.replacement", "lru"));
  add(rows, where, "texture L1 cache, C", {12, 12, 24}, "KB", fact("texture.size", kib));
  add(rows, where, "texture L1 cache, b", {32, 32, 32}, "B", fact("texture.fetch_granularity"));
  add(rows, where, "texture L1 cache, T", {4, 4, 4}, "", fact("texture.sets"));
  add(rows, where, "texture L1 cache, LRU", {true, true, true}, "", is("texture.replacement", "lru"));
  add(rows, where, "read-only data cache, C", {nullptr, 12, 24}, "KB", fact("read_only.size", kib));
  add(rows, where, "read-only data cache, b", {nullptr, 32, 32}, "B", fact("read_only.line_size"));
  add(rows, where, "read-only data cache, T", {nullptr, 4, 4}, "", fact("read_only.sets"));
  add(rows, where, "read-only data cache, LRU", {nullptr, true, true}, "", is("read_only.replacement", "lru"));
  add(rows, where, "Maxwell L1 data cache, C", {nullptr, nullptr, 24}, "KB", fact("l1_data.size", kib));
  add(rows, where, "Maxwell L1 data cache, b", {nullptr, nullptr, 32}, "B", fact("l1_data.line_size"));
  add(rows, where, "Maxwell L1 data cache, T", {nullptr, nullptr, 4}, "", fact("l1_data.sets"));
  add(rows, where, "Maxwell L1 data cache, LRU", {nullptr, nullptr, true}, "", is("l1_data.replacement", "lru"));
}

/// Table 5 once more, by the paper's own two-stage procedure (section 4.2, Fig. 6).
void add_two_stages(std::vector<Row>& rows) {
  const std::string where = "Section 4.2, Fig. 6, the two-stage procedure as --method mei2017";
  const auto add_stage = [&](const std::string& what, const std::vector<Json>& values, const std::string& unit,
                             const Recovery& recovery) {
    add(rows, where, what, values, unit, recovery, exactly, "mei2017");
  };
  add_stage("Fermi L1 data cache, C", {16}, "KB", fact("l1_data.size", kib));
  add_stage("Fermi L1 data cache, b", {128}, "B", fact("l1_data.line_size"));
  add_stage("Fermi L1 data cache, T", {32}, "", fact("l1_data.sets"));
  add_stage("Fermi L1 data cache, a", {4}, "", fact("l1_data.ways"));
  add_stage("Fermi L1 data cache, LRU", {false}, "", is("l1_data.replacement", "lru"));
  add_stage("texture L1 cache, C", {12, 12, 24}, "KB", fact("texture.size", kib));
  add_stage("texture L1 cache, b", {32, 32, 32}, "B", fact("texture.line_size"));
  add_stage("texture L1 cache, T", {4, 4, 4}, "", fact("texture.sets"));
  add_stage("texture L1 cache, lines of a set", {96, 96, 192}, "", fact("texture.ways"));
  add_stage("texture L1 cache, LRU", {true, true, true}, "", is("texture.replacement", "lru"));
  add_stage("read-only data cache, C", {nullptr, 12, 24}, "KB", fact("read_only.size", kib));
  add_stage("read-only data cache, b", {nullptr, 32, 32}, "B", fact("read_only.line_size"));
  add_stage("read-only data cache, T", {nullptr, 4, 4}, "", fact("read_only.sets"));
  add_stage("read-only data cache, LRU", {nullptr, true, true}, "", is("read_only.replacement", "lru"));
}

/// Why the index of L2 stays open.
constexpr const char* no_sets =
    "the paper infers it from an irregular pattern of misses, which random victims (assumed) cause as well; groups of "
    "lines that share a set are not found among so many lines";

void add_cache_text(std::vector<Row>& rows) {
  const std::string where = "Sections 4.3 to 4.6, Figs. 7 to 11";
  const Json seven_and_eight{{"kind", "bits"}, {"bits", {7, 8}}};
  add(rows, where, "texture L1 cache, bits that select the set", {seven_and_eight, seven_and_eight}, "",
      fact("texture.index"));
  add(rows, where, "texture L1 cache, lines of a set", {96, 96, 192}, "", sectors_of_a_set("texture"));
  add(rows, where, "read-only data cache, lines of a set", {nullptr, 96}, "", sectors_of_a_set("read_only"));
  add(rows, where, "L2 TLB, entries missed from 132 MB on, each number once, in their order",
      std::vector<Json>(3, {17, 25, 33, 41, 49, 57, 65}), "", missed_entries(), exactly, "mei2017");
  add(rows, where, "L2 TLB, entries of the sets", std::vector<Json>(3, {17, 8, 8, 8, 8, 8, 8}), "",
      descending("tlb.l2.set_ways"));
  add(rows, where, "L1 data cache, ways", {4}, "", fact("l1_data.ways"));
  add(rows, where, "L1 data cache, bits that select the major set", {{9, 10, 11}}, "",
      bits_that_select_alone("l1_data.index"));
  add(rows, where, "L1 data cache, of 129 lines those in one set, which bits 12 and 13 tell apart",
      {{3, 35, 68, 100, 129}}, "", lines_with_last("l1_data", 129));
  add(rows, where, "L1 data cache, ways of successive victims", {{2, 3, 2, 1, 2, 4, 2, 3, 2}}, "",
      repeated(condition("l1_data.replacement", "way_order"), 9));
  add(rows, where, "L1 data cache, probability of the ways", {{1 / 6.0, 0.5, 1 / 6.0, 1 / 6.0}}, "",
      fact("l1_data.way_probability"), Tolerance{0, 0.01});
  add(rows, where, "L1 data cache, probability of the ways, sorted", {{0.5, 1 / 6.0, 1 / 6.0, 1 / 6.0}}, "",
      descending("l1_data.way_probability"), Tolerance{0, 0.03});
  add(rows, where, "L2 data cache, line", {32, 32, 32}, "B", fact("l2.line_size"));
  add(rows, where, "L2 data cache, LRU", {false, false, false}, "", is("l2.replacement", "lru"), exactly, "mei2017");
  add(rows, where, "L2 data cache, sets by plain address bits", {false, false, false}, "", nothing());
  for (std::size_t i = rows.size() - 3; i < rows.size(); ++i) rows[i].hidden = no_sets;
  add(rows, where, "L2 data cache, sequential prefetch: part of the cache", {2.0 / 3, 2.0 / 3, 2.0 / 3}, "",
      prefetched(), Tolerance{0.02, 0}, "mei2017");
}

/// The same cache of the same device, by two methods that contradict each other.
void add_contradiction(std::vector<Row>& rows) {
  const std::string where = "Section 4.1, Figs. 4 and 5";
  const auto add_one = [&](const std::string& what, const std::string& method, Json value, const std::string& key,
                           double unit) {
    rows.push_back({where,
                    what,
                    "gtx780",
                    std::move(value),
                    unit == 1 ? "" : "KB",
                    fact("texture." + key, unit),
                    exactly,
                    {},
                    method});
  };
  for (const std::string method : {"saavedra1992", "wong2010"}) {
    const bool is_saavedra = method == "saavedra1992";
    const std::string name = is_saavedra ? "Saavedra1992" : "Wong2010";
    add_one(name + ", C", method, 12, "size", kib);
    add_one(name + ", b", method, is_saavedra ? 32 : 128, "line_size", 1);
    add_one(name + ", T", method, is_saavedra ? 16 : 4, "sets", 1);
    add_one(name + ", a", method, 24, "ways", 1);
  }
}

void add_bandwidth(std::vector<Row>& rows) {
  std::string where = "Table 6, bandwidth of global memory";
  add(rows, where, "f_mem", {1050, 1502, 1753}, "MHz", fact("device.memory_clock", 1e6));
  add(rows, where, "bus width", {256, 384, 256}, "bit", fact("device.memory_bus"));
  add(rows, where, "theoretical bandwidth", {134.40, 288.38, 224.38}, "GB/s", fact("dram.bandwidth.theoretical", giga),
      rate);
  add(rows, where, "maximum throughput", {109.38, 215.92, 156.25}, "GB/s", fact("dram.bandwidth.copy", giga), rate);
  add(rows, where, "efficiency", {0.8138, 0.7487, 0.6964}, "",
      ratio("dram.bandwidth.copy", "dram.bandwidth.theoretical"), rate);
  where = "Section 5.1, Fig. 12";
  add(rows, where, "twice as many of the smallest CTAs copy more, by", {2, 2, 2}, "", gain_of_two_ctas(), rate,
      "mei2017");
  add(rows, where, "the largest copies reach their maximum, to a part of", {1, 1, 1}, "", part_of_peak_at_the_end(),
      rate, "mei2017");
  add(rows, where, "a larger ILP saturates with fewer threads", {true, true, true}, "", saturates_faster_with_ilp(),
      exactly, "mei2017");
}

void add_latencies(std::vector<Row>& rows) {
  const std::string where = "Section 5.2, Fig. 14";
  add(rows, where, "L1 TLB miss penalty, data in L2", {27}, "cycles", fact("tlb.l1.miss_penalty"), latency);
  add(rows, where, "hits in L1 go through no TLB", {nullptr, nullptr, true}, "", fact("l1_data.virtually_tagged"));
  add(rows, where, "pattern 5: 3.5 times 734", {nullptr, nullptr, 2569}, "cycles", fact("memory_spectrum.p5"), latency);
  add(rows, where, "window of active page tables", {nullptr, 512, 512}, "MB", fact("page_window.size", mib));
}

/// Why the simulated SM needs another ILP than the real one.
constexpr const char* of_fixed_rate =
    "the simulated SM issues at one rate, that of Table 7, and its warps copy the more the larger their ILP until "
    "then; "
    "the paper's limit from larger ILP is not described";

void add_shared_memory(std::vector<Row>& rows) {
  std::string where = "Table 7, throughput of shared memory";
  add(rows, where, "f_core", {0.950, 1.006, 1.279}, "GHz", fact("device.sm_clock", giga));
  add(rows, where, "W'_SM", {34.90, 83.81, 137.41}, "GB/s", product({"shared.bandwidth.copy", "device.sm_clock"}, giga),
      rate);
  add(rows, where, "W_bank", {2, 8, 4}, "B/cycle", bank_rate(), rate);
  add(rows, where, "W_SM", {60.80, 257.54, 163.84}, "GB/s", product_of_banks(), rate);
  add(rows, where, "efficiency", {0.574, 0.325, 0.839}, "", efficiency_of_banks(), rate);
  where = "Section 6.1, Figs. 15 and 16";
  add(rows, where, "copies grow with active warps", {true, true, true}, "", rises_with_warps(), exactly, "mei2017");
  add(rows, where, "peak at 16 active warps, of all copies", {1, nullptr, 1}, "", part_of_peak(16), rate, "mei2017");
  add(rows, where, "peak at 32 active warps, of all copies", {nullptr, 1}, "", part_of_peak(32), rate, "mei2017");
  const std::size_t first = rows.size();
  add(rows, where, "ILP up to which 16 warps copy more", {4}, "", saturating_ilp(16), exactly, "mei2017");
  add(rows, where, "ILP up to which 32 warps copy more", {nullptr, 6}, "", saturating_ilp(32), exactly, "mei2017");
  add(rows, where, "ILP up to which 4 warps copy more", {nullptr, 4}, "", saturating_ilp(4), exactly, "mei2017");
  for (std::size_t i = first; i < rows.size(); ++i) rows[i].disputed = of_fixed_rate;
  add(rows, where, "active warps that Little's law asks of ILP 1", {nullptr, 94}, "", warps_to_fill_banks(), rate);
  where = "Section 6.2, shared memory latency";
  add(rows, where, "without conflict", {50, 47, 28}, "cycles", fact("shared.latency"), latency);
  add(rows, where, "modes", {nullptr, {4, 8}}, "B", fact("shared.modes"));
}

}  // namespace

Paper make() {
  Paper paper{
      "mei-chu-2017",
      "Mei & Chu: Dissecting GPU Memory Hierarchy through Microbenchmarking (IEEE TPDS 2017)",
      "GTX 280 (Tesla), GTX 560 Ti (Fermi), GTX 780 (Kepler) and GTX 980 (Maxwell). What the paper calls a line of a "
      "texture cache is what a miss brings (`fetch_granularity`): by its Figs. 4 and 5, Kepler keeps four of them "
      "under one tag.",
      {}};
  add_properties(paper.rows);
  add_gtx280(paper.rows);
  add_contradiction(paper.rows);
  add_caches(paper.rows);
  add_two_stages(paper.rows);
  add_cache_text(paper.rows);
  add_bandwidth(paper.rows);
  add_latencies(paper.rows);
  add_shared_memory(paper.rows);
  return paper;
}

}  // namespace tomograph::bench::mei_chu_2017_paper
