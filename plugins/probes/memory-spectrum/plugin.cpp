#include "tomograph/plugin.hpp"

#include "questions.hpp"
#include "tomograph/literal.hpp"

namespace tomograph::memory_spectrum {

namespace {

using declare::per_device;

struct Spectrum {
  static constexpr const char* id = "memory-spectrum/patterns";
  static constexpr const char* question = "How long does a load take with each pattern of hits and misses?";
  static constexpr double expected_seconds = 0.2;
  static constexpr double time_budget = 60;
  static constexpr auto needs =
      concatenated(std::array{need("device.sm_count"), need("l2.line_size")},
                   optional_needs("l2.nominal_size", "l2.miss_penalty", "l2.partition.count", "tlb.l1.miss_penalty",
                                  "tlb.l1.entries", "tlb.l1.entry_span", "tlb.l1.page_size", "tlb.l2.page_size",
                                  "tlb.l2.miss_penalty", "tlb.l2.entries", "tlb.l2.entry_span", "tlb.l3.page_size",
                                  "tlb.l3.miss_penalty", "tlb.l3.entries", "tlb.l3.entry_span", "page_window.size",
                                  "page_window.miss_penalty", "dram.free"));
  static constexpr std::array provides{
      declare::cycles("memory_spectrum.p1", per_device, "Data cache hit, first TLB hit"),
      declare::cycles("memory_spectrum.p2", per_device, "Data cache hit, first TLB miss, second TLB hit"),
      declare::cycles("memory_spectrum.p3", per_device, "Data cache hit, all TLBs miss"),
      declare::cycles("memory_spectrum.p4", per_device, "Data cache miss, first TLB hit"),
      declare::cycles("memory_spectrum.p5", per_device, "Data cache miss, all TLBs miss"),
      declare::cycles("memory_spectrum.p6", per_device, "Data cache miss, all TLBs miss, page-table window switched"),
      declare::cycles("dram.latency", per_device, "Latency of a load that misses all caches"),
      declare::cycles("dram.latency.near", per_device, "Latency of memory behind the SM's own L2 partition"),
      declare::cycles("dram.latency.far", per_device, "Latency of memory behind another L2 partition")};
  static void run(const Session& session) { find_spectrum(session); }
};

}  // namespace

}  // namespace tomograph::memory_spectrum

TOMOGRAPH_PLUGIN("memory-spectrum", "1.0.0", "Latency of global memory by pattern of hits and misses",
                 tomograph::Probes<tomograph::memory_spectrum::Spectrum>)
