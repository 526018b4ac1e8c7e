#include "tomograph/session/plugin.hpp"

#include "questions.hpp"

namespace tomograph::memory_spectrum {

namespace {

constexpr tomograph_fact_spec latency(const char* key, const char* help) {
  return fact_spec(key, TOMOGRAPH_REAL, "cycle", TOMOGRAPH_PER_DEVICE, help);
}

struct Spectrum {
  static constexpr const char* id = "memory-spectrum/patterns";
  static constexpr const char* question = "How long does a load take with each pattern of hits and misses?";
  static constexpr double expected_seconds = 0.2;
  static constexpr double time_budget = 60;
  static constexpr std::array needs{need("device.sm_count"),
                                    need("l2.line_size"),
                                    optional_need("l2.nominal_size"),
                                    optional_need("l2.partition.count"),
                                    optional_need("tlb.l1.miss_penalty"),
                                    optional_need("tlb.l1.entries"),
                                    optional_need("tlb.l1.entry_span"),
                                    optional_need("tlb.l2.miss_penalty"),
                                    optional_need("tlb.l2.entries"),
                                    optional_need("tlb.l2.entry_span"),
                                    optional_need("tlb.l3.entries"),
                                    optional_need("tlb.l3.entry_span"),
                                    optional_need("page_window.size"),
                                    optional_need("page_window.miss_penalty"),
                                    optional_need("dram.free")};
  static constexpr std::array provides{latency("memory_spectrum.p1", "Data cache hit, first TLB hit"),
                                       latency("memory_spectrum.p2", "Data cache hit, first TLB miss, next hit"),
                                       latency("memory_spectrum.p3", "Data cache hit, all TLBs miss"),
                                       latency("memory_spectrum.p4", "Data cache miss, first TLB hit"),
                                       latency("memory_spectrum.p5", "Data cache miss, all TLBs miss"),
                                       latency("memory_spectrum.p6", "The same, and another page-table window"),
                                       latency("dram.latency", "From a load to its use, past all caches"),
                                       latency("dram.latency.near", "Memory behind the SM's own partition"),
                                       latency("dram.latency.far", "Memory behind another partition")};
  static void run(const Session& session) { find_spectrum(session); }
};

}  // namespace

}  // namespace tomograph::memory_spectrum

TOMOGRAPH_PLUGIN("memory-spectrum", "1.0.0", "Latency of global memory by pattern of hits and misses",
                 tomograph::Probes<tomograph::memory_spectrum::Spectrum>)
