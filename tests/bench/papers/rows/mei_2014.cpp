#include <algorithm>

#include "paper.hpp"

namespace tomograph::bench::mei_2014_paper {

namespace {

constexpr double kib = 1024;
constexpr double mib = 1024 * kib;

/// Ways of the conflict of a warp whose lanes are so many words apart.
Recovery ways_of_stride(std::int64_t mode, std::size_t stride) {
  return {{"shared.conflict_ways_by_mode"}, [mode, stride](const std::vector<Json>& values) {
            for (const Json& pair : values.front()) {
              if (pair.at(0) == mode) return pair.at(1).at(stride);
            }
            return Json();
          }};
}

/// The highest of pairs of bytes and misses per load, in per cent.
Recovery largest_rate(const std::string& key) {
  return {{key},
          [](const std::vector<Json>& values) {
            double most = 0;
            for (const Json& pair : values.front()) most = std::max(most, pair.at(1).get<double>());
            return Json(100 * most);
          },
          true};
}

void add_latencies(std::vector<Row>& rows) {
  const std::string where = "Table 3, global memory access latencies";
  const std::string through_l1 = "l1_data.latency";
  const std::string to_l2 = "l1_data.miss_penalty";
  const std::vector<double> kepler{230, 236, 289, 371, 734, 1000};
  const std::vector<double> fermi{371, 398, 482, 639, 1245};
  for (std::size_t i = 0; i < kepler.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    rows.push_back(
        {where, "pattern " + number, "gtx780", kepler[i], "cycles", fact("memory_spectrum.p" + number), latency});
  }
  for (std::size_t i = 0; i < fermi.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    rows.push_back({where, "pattern " + number + ", L1 disabled", "gtx560ti", fermi[i], "cycles",
                    fact("memory_spectrum.p" + number), latency});
  }
  rows.push_back({where, "pattern 6", "gtx560ti", "none", "", absence("memory_spectrum.p6"), exactly});
  rows.push_back({where, "pattern 1, L1 enabled", "gtx560ti", 116, "cycles", fact(through_l1), latency});
  rows.push_back({where, "pattern 2, L1 enabled (L1 missed, as 65 lines 32 MB apart are in one set)", "gtx560ti", 404,
                  "cycles", sum({through_l1, to_l2, "tlb.l1.miss_penalty"}), latency});
  rows.push_back({where, "pattern 3, L1 enabled (likewise)", "gtx560ti", 488, "cycles",
                  sum({through_l1, to_l2, "tlb.l1.miss_penalty", "tlb.l2.miss_penalty"}), latency});
  // Beside L1 hits, a load through L1 takes as much longer as one that hits in L2.
  for (std::size_t i = 3; i < 5; ++i) {
    const std::string number = std::to_string(i + 1);
    rows.push_back({where, "pattern " + number + ", L1 enabled", "gtx560ti", i == 3 ? 655 : 1259, "cycles",
                    difference({"memory_spectrum.p" + number, through_l1, to_l2}, "l2.latency"), latency});
  }
}

void add_caches(std::vector<Row>& rows) {
  const std::string where = "Table 4, common GPU cache characteristics";
  const auto add = [&](const std::string& what, const std::string& gpu, Json value, const std::string& unit,
                       Recovery recovery) {
    rows.push_back({where, what, gpu, std::move(value), unit, std::move(recovery), exactly});
  };
  add("L1 data cache, N", "gtx560ti", 16, "KB", fact("l1_data.size", kib));
  add("L1 data cache, b", "gtx560ti", 128, "B", fact("l1_data.line_size"));
  add("L1 data cache, sets", "gtx560ti", 32, "", fact("l1_data.sets"));
  add("L1 data cache, LRU", "gtx560ti", false, "", is("l1_data.replacement", "lru"));
  for (const std::string gpu : {"gtx560ti", "gtx780"}) {
    add("L1 TLB, N", gpu, 32, "MB", fact("tlb.l1.reach", mib));
    add("L1 TLB, b", gpu, 2, "MB", fact("tlb.l1.entry_span", mib));
    add("L1 TLB, sets", gpu, 1, "", count("tlb.l1.set_ways"));
    add("L1 TLB, LRU", gpu, true, "", is("tlb.l1.replacement", "lru"));
    rows.back().disputed = "the authors corrected it (Mei & Chu 2017, Table 5: not LRU)";
    add("L2 TLB, N", gpu, 130, "MB", fact("tlb.l2.reach", mib));
    add("L2 TLB, b", gpu, 2, "MB", fact("tlb.l2.entry_span", mib));
    add("L2 TLB, sets", gpu, 7, "", count("tlb.l2.set_ways"));
    add("L2 TLB, LRU", gpu, true, "", is("tlb.l2.replacement", "lru"));
    add("texture L1 cache, N", gpu, 12, "KB", fact("texture.size", kib));
    add("texture L1 cache, b", gpu, 32, "B", fact("texture.fetch_granularity"));
    add("texture L1 cache, sets", gpu, 4, "", fact("texture.sets"));
    add("texture L1 cache, LRU", gpu, true, "", is("texture.replacement", "lru"));
  }
}

void add_texture(std::vector<Row>& rows) {
  const std::string where = "Table 5, texture memory access latency";
  const auto add = [&](const std::string& what, const std::string& gpu, Json value, Recovery recovery) {
    rows.push_back({where, what, gpu, std::move(value), "cycles", std::move(recovery), latency});
  };
  add("texture, L1 hit", "gtx560ti", 240, fact("texture.latency"));
  add("texture, L1 miss, L2 hit", "gtx560ti", 470, sum({"texture.latency", "texture.miss_penalty"}));
  add("global, L1 hit", "gtx560ti", 116, fact("l1_data.latency"));
  add("global, L1 miss, L2 hit (and L1 TLB miss, as pattern 2)", "gtx560ti", 404,
      sum({"l1_data.latency", "l1_data.miss_penalty", "tlb.l1.miss_penalty"}));
  add("texture, L1 hit", "gtx780", 110, fact("texture.latency"));
  add("texture, L1 miss, L2 hit", "gtx780", 220, sum({"texture.latency", "texture.miss_penalty"}));
  rows.push_back({where, "global loads in L1", "gtx780", false, "", fact("l1_data.caches_global_loads"), exactly});
  add("global, L1 miss, L2 hit", "gtx780", 230, fact("l2.latency"));
}

void add_text(std::vector<Row>& rows) {
  std::string where = "Section 4.1, shared memory";
  rows.push_back({where, "broadcast", "gtx560ti", 50, "cycles", fact("shared.broadcast_latency"), latency});
  rows.push_back({where, "2-way conflict", "gtx560ti", 88, "cycles", element("shared.conflict_latency", 1), latency});
  rows.push_back(
      {where, "32-way conflict", "gtx560ti", 1210, "cycles", element("shared.conflict_latency", 31), latency});
  rows.push_back({where, "bank width", "gtx560ti", 4, "B", fact("shared.bank_width"), exactly});
  rows.push_back({where, "bank width", "gtx780", 8, "B", fact("shared.bank_width"), exactly});
  rows.push_back({where, "modes", "gtx780", {4, 8}, "B", fact("shared.modes"), exactly});

  where = "Section 4.1, Figs. 6 and 7, conflicts by mode";
  const auto add_ways = [&](std::int64_t mode, std::size_t stride, int ways) {
    rows.push_back({where, "ways with stride " + std::to_string(stride) + ", " + std::to_string(mode) + "-byte mode",
                    "gtx780", ways, "", ways_of_stride(mode, stride), exactly});
  };
  add_ways(4, 2, 1);
  add_ways(8, 2, 1);
  add_ways(4, 4, 2);
  add_ways(8, 4, 2);
  add_ways(4, 6, 2);
  add_ways(8, 6, 1);

  where = "Section 4.2, Figs. 8 to 11";
  rows.push_back({where, "L1 data cache, ways", "gtx560ti", 4, "", fact("l1_data.ways"), exactly});
  rows.push_back({where,
                  "L1 data cache, probability of the ways, sorted",
                  "gtx560ti",
                  {0.5, 1 / 6.0, 1 / 6.0, 1 / 6.0},
                  "",
                  descending("l1_data.way_probability"),
                  Tolerance{0, 0.03}});
  rows.push_back({where, "L1 data cache, largest miss rate from 16 to 24 KB", "gtx560ti", 50, "%",
                  largest_rate("l1_data.miss_rate_by_size"), rate});
  rows.back().method = "mei2017";
  rows.back().disputed =
      "Mei & Chu 2017, Fig. 11, list 9 misses of 13 loads; with the victims in that order for ever, two of three loads "
      "miss where 5 or 6 lines share a set";
  for (const std::string gpu : {"gtx560ti", "gtx780"}) {
    rows.push_back({where,
                    "L2 TLB, entries missed from 132 MB on, each number once, in their order",
                    gpu,
                    {17, 25, 33, 41, 49, 57, 65},
                    "",
                    missed_entries(),
                    exactly});
    rows.back().method = "mei2017";
    rows.push_back({where,
                    "L2 TLB, entries of the sets",
                    gpu,
                    {17, 8, 8, 8, 8, 8, 8},
                    "",
                    descending("tlb.l2.set_ways"),
                    exactly});
    rows.push_back({where, "L1 TLB, entries", gpu, 16, "", fact("tlb.l1.entries"), exactly});
  }
  rows.push_back({where, "activated page entries", "gtx780", 512, "MB", fact("page_window.size", mib), exactly});

  where = "Section 4.3, Fig. 12";
  for (const std::string gpu : {"gtx560ti", "gtx780"}) {
    rows.push_back({where, "texture L1 cache, lines of a set", gpu, 96, "", sectors_of_a_set("texture"), exactly});
    rows.push_back({where, "texture L1 cache, bits that select the set", gpu, Json{{"kind", "bits"}, {"bits", {7, 8}}},
                    "", fact("texture.index"), exactly});
  }
}

}  // namespace

Paper make() {
  Paper paper{"mei-2014",
              "Mei, Zhao, Liu & Chu: Benchmarking the Memory Hierarchy of Modern GPUs (NPC 2014)",
              "GTX 560 Ti (Fermi) and GTX 780 (Kepler).",
              {}};
  add_latencies(paper.rows);
  add_caches(paper.rows);
  add_texture(paper.rows);
  add_text(paper.rows);
  return paper;
}

}  // namespace tomograph::bench::mei_2014_paper
