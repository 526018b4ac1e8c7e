#include "sim/gpu/timing.hpp"

#include <cmath>

#include "sim/gpu/description.hpp"
#include "sim/gpu/section.hpp"

namespace tomograph::sim {

namespace {

NocTiming read_noc(const Section& section) {
  NocTiming noc;
  noc.sm_request = section.number("sm_request", noc.sm_request);
  noc.sm_reply = section.number("sm_reply", noc.sm_reply);
  noc.slice_reply = section.number("slice_reply", noc.slice_reply);
  noc.header = section.number("header", noc.header);
  return noc;
}

L2Timing read_l2_timing(const Section& section) {
  L2Timing l2;
  l2.mshrs = section.integer("mshrs", l2.mshrs);
  l2.interleave = section.integer("interleave", l2.interleave);
  l2.request_cycles = section.number("request_cycles", l2.request_cycles);
  return l2;
}

DramTiming read_dram_timing(const Section& section) {
  DramTiming dram;
  dram.bandwidth = section.number("bandwidth");
  dram.banks = section.integer("banks", dram.banks);
  dram.row = section.integer("row", dram.row);
  dram.row_miss_cycles = section.number("row_miss_cycles", dram.row_miss_cycles);
  dram.turnaround_cycles = section.number("turnaround_cycles", dram.turnaround_cycles);
  dram.window = section.integer("window", dram.window);
  return dram;
}

Broken lru_violation(const Cache& cache, const std::string& key) {
  if (cache.replacement.policy == Replacement::Policy::lru) return std::nullopt;
  return Violation{key, "must be \"lru\", which is what [timing] simulates"};
}

Broken latency_violation(const Gpu& gpu) {
  const Ways way = ways(gpu);
  if (way.to_slice < 1) return Violation{"l2.latency", "is less than the ports of [timing.noc] take for one fetch"};
  if (way.to_memory >= 1) return std::nullopt;
  return Violation{"dram.latency", "exceeds l2.latency by less than [timing.dram] takes for one fetch"};
}

}  // namespace

Timing read_timing(const Section& section) {
  Timing timing;
  if (section.has("scheduler")) {
    timing.scheduler =
        meaning<WarpScheduler>(section.text("scheduler"), {{"lrr", WarpScheduler::lrr}, {"gto", WarpScheduler::gto}});
  }
  timing.schedulers = section.integer("schedulers", timing.schedulers);
  timing.issue_width = section.integer("issue_width", timing.issue_width);
  timing.max_warps = section.integer("max_warps", timing.max_warps);
  timing.max_ctas = section.integer("max_ctas", timing.max_ctas);
  timing.l1_mshrs = section.integer("l1_mshrs", timing.l1_mshrs);
  timing.load_queue = section.integer("load_queue", timing.load_queue);
  if (const auto noc = section.optional_section("noc")) timing.noc = read_noc(*noc);
  if (const auto l2 = section.optional_section("l2")) timing.l2 = read_l2_timing(*l2);
  timing.dram = read_dram_timing(section.section("dram"));
  return timing;
}

std::int64_t l1_fetch(const Gpu& gpu) {
  const PrivateCache* l1 = gpu.serving(chase::Path::global_ca);
  return l1 == nullptr ? gpu.l2.cache.sector_size : l1->cache.fetch_granularity;
}

double channel_rate(const Gpu& gpu) {
  const double per_second = gpu.timing->dram.bandwidth / static_cast<double>(gpu.l2.slices);
  return per_second / (static_cast<double>(gpu.sm_clock_mhz) * 1e6);
}

Ways ways(const Gpu& gpu) {
  const NocTiming& noc = gpu.timing->noc;
  const double reply = noc.header + static_cast<double>(l1_fetch(gpu));
  // Each part that serves a packet rounds its end up to a whole cycle.
  const double busy = std::ceil(noc.header / noc.sm_request) + std::ceil(gpu.timing->l2.request_cycles) +
                      std::ceil(reply / noc.slice_reply) + std::ceil(reply / noc.sm_reply);
  const std::int64_t way = gpu.l2.latency - static_cast<std::int64_t>(busy);
  const double burst = std::ceil(static_cast<double>(gpu.l2.cache.fetch_granularity) / channel_rate(gpu));
  const std::int64_t memory_way = gpu.dram.latency - gpu.l2.latency - static_cast<std::int64_t>(burst);
  return {way / 2, way - way / 2, memory_way / 2, memory_way - memory_way / 2};
}

Broken timing_violation(const Gpu& gpu) {
  if (!gpu.timing) return std::nullopt;
  if (auto broken = lru_violation(gpu.l2.cache, "l2.replacement")) return broken;
  if (auto broken = power_of_two("timing.l2.interleave", gpu.timing->l2.interleave)) return broken;
  if (auto broken = at_least("timing.l2.interleave", gpu.timing->l2.interleave, gpu.l2.cache.line_size)) return broken;
  if (auto broken = at_least("timing.dram.row", gpu.timing->dram.row, gpu.timing->l2.interleave)) return broken;
  // Masks of its sectors leave room for the line's number (kernel/line_store.hpp).
  if (auto broken = at_most("l2.line_size", gpu.l2.cache.line_size, 512)) return broken;
  // A scheduler's warps are bits of a word (kernel/sm.hpp).
  if (auto broken = at_most("timing.max_warps", gpu.timing->max_warps, 64 * gpu.timing->schedulers)) return broken;
  if (const PrivateCache* l1 = gpu.serving(chase::Path::global_ca)) {
    const std::string key = "cache." + l1->name;
    if (auto broken = lru_violation(l1->cache, key + ".replacement")) return broken;
    if (l1->cache.line_size != gpu.l2.cache.line_size) {
      return Violation{key + ".line_size", "differs from that of the L2, which [timing] does not simulate"};
    }
  }
  return latency_violation(gpu);
}

}  // namespace tomograph::sim
