// Shared memory: random sizes, banks, modes, latencies, conflict costs and rates.
#include "sim/gpu/shared_memory.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "draw.hpp"
#include "family.hpp"

namespace tomograph::bench::shared_memory_family {

namespace {

using sim::SharedMemory;

constexpr std::int64_t lanes = 32;

SharedMemory draw_memory(Draw& draw) {
  SharedMemory memory;
  memory.reserved_per_block = 128 * draw.between(0, 8);
  memory.size_per_sm = 1024 * draw.between(24, 256);
  memory.size_per_block = memory.size_per_sm - memory.reserved_per_block;
  // From Maxwell on, a CTA may be limited to half of the SM's shared memory.
  if (draw.one_in(3)) memory.size_per_block = memory.size_per_sm / 2;
  memory.max_warps = 8 * draw.between(4, 8);
  memory.banks = draw.power_of_two(8, 64);
  memory.bank_width = draw.power_of_two(4, 8);
  if (memory.bank_width == 8 && draw.one_in(2)) memory.modes = {4, 8};
  if (draw.one_in(4)) memory.phase_lanes = draw.power_of_two(8, 16);
  memory.latency = draw.between(18, 60);
  memory.conflict_cycles = static_cast<double>(draw.between(1, 40));
  memory.pass_cycles = draw.one_in(2) ? 1 : draw.real(0.5, 3);
  memory.schedulers = draw.power_of_two(1, 4);
  memory.issue_cycles = draw.real(0.5, 4);
  memory.sigma = draw.real(0, 1);
  return memory;
}

sim::Gpu draw_gpu(Draw& draw) {
  sim::Gpu gpu;
  gpu.name = "random";
  gpu.sm_count = 4;
  gpu.l2.latency = gpu.l2.far_latency = 200;
  gpu.l2.cache.set_ways.assign(64, 16);
  gpu.dram.latency = gpu.dram.far_latency = 400;
  gpu.instrument.total_overhead = draw.between(0, 100);
  gpu.shared_memory = draw_memory(draw);
  return gpu;
}

std::int64_t passes_at(const SharedMemory& memory, std::int64_t width, std::int64_t stride) {
  std::vector<std::int64_t> offsets;
  for (std::int64_t lane = 0; lane < lanes; ++lane) offsets.push_back(lane * stride);
  return sim::passes(memory, *memory.interleave(0), width, offsets);
}

/// Of a chain of loads, each of which may keep the banks busy for longer than its own latency.
double latency_of(const SharedMemory& memory, std::int64_t passes) {
  return std::max(static_cast<double>(memory.latency) + static_cast<double>(passes - 1) * memory.conflict_cycles,
                  static_cast<double>(passes) * memory.pass_cycles);
}

std::vector<double> conflict_latencies(const SharedMemory& memory) {
  std::vector<double> cycles;
  for (std::int64_t ways = 1; ways <= lanes; ++ways) {
    std::vector<std::int64_t> offsets;
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      offsets.push_back(std::min(lane, ways - 1) * memory.banks * memory.bank_width);
    }
    cycles.push_back(latency_of(memory, sim::passes(memory, *memory.interleave(0), 4, offsets)));
  }
  return cycles;
}

/// Bytes per cycle at which neither more warps nor more streams help: the banks or the schedulers are busy.
double roof(const SharedMemory& memory, std::int64_t width) {
  const double banks = static_cast<double>(passes_at(memory, width, width)) * memory.pass_cycles;
  const double issue = memory.issue_cycles / static_cast<double>(memory.schedulers);
  return static_cast<double>(lanes * width) / std::max(banks, issue);
}

std::vector<Expected> expected_of(const SharedMemory& memory) {
  constexpr double exact_to = 0.02;  // of latencies and rates
  ExpectedFacts facts("shared.");
  facts.exact("size_per_sm", memory.size_per_sm);
  facts.exact("size_per_block", memory.size_per_block);
  facts.exact("reserved_per_block", memory.reserved_per_block);
  facts.exact("banks", memory.banks);
  facts.exact("bank_width", memory.bank_width);
  facts.exact("modes", memory.modes, !memory.modes.empty());
  facts.exact("phase_lanes", memory.phase_lanes);
  Json phases = Json::array();
  for (const std::int64_t width : {4, 8, 16}) phases.push_back({width, passes_at(memory, width, width)});
  facts.exact("phases", phases);
  const auto latency = static_cast<double>(memory.latency);
  facts.within("latency", latency, exact_to * latency);
  const double broadcast = latency_of(memory, passes_at(memory, 4, 0));
  facts.within("broadcast_latency", broadcast, exact_to * broadcast);
  const std::vector<double> conflicts = conflict_latencies(memory);
  facts.judged("conflict_latency", conflicts, true, [conflicts](const Json& published) {
    return std::ranges::equal(conflicts, published.get<std::vector<double>>(),
                              [](double a, double b) { return std::abs(a - b) <= exact_to * a; });
  });
  const double copy = roof(memory, 4);
  facts.within("bandwidth.copy", copy, exact_to * copy);
  const double read = std::max({roof(memory, 4), roof(memory, 8), roof(memory, 16)});
  facts.within("bandwidth.read", read, exact_to * read);
  // Little's law.
  const double warps = roof(memory, 4) / 128 * latency_of(memory, passes_at(memory, 4, 4));
  facts.within("saturating_warps", warps, exact_to * warps);
  return facts.take();
}

std::string geometry(const SharedMemory& memory) {
  std::ostringstream text;
  text << memory.size_per_sm << " B (" << memory.size_per_block << " per block, " << memory.reserved_per_block
       << " reserved), " << memory.banks << " banks of " << memory.bank_width << " B"
       << (memory.modes.empty() ? "" : ", two modes") << ", " << memory.phase_lanes << " lanes, latency "
       << memory.latency << " + " << memory.conflict_cycles << ", pass " << memory.pass_cycles << ", issue "
       << memory.issue_cycles << " x " << memory.schedulers << ", sigma " << memory.sigma;
  return text.str();
}

Case draw_case(std::uint64_t number) {
  Draw draw(number);
  sim::Gpu gpu = draw_gpu(draw);
  while (sim::violation(gpu)) gpu = draw_gpu(draw);
  const SharedMemory& memory = *gpu.shared_memory;
  const std::string width = std::to_string(memory.bank_width) + " B";
  return {.number = number,
          .kind = "banks of " + width + (memory.modes.empty() ? "" : ", modes") +
                  (memory.phase_lanes < lanes ? ", part of a warp" : ""),
          .gpu = gpu,
          .geometry = geometry(memory),
          .expected = expected_of(memory)};
}

}  // namespace

Family make() { return {.name = "shared_memory", .plugins = {"shared-memory"}, .smoke_cases = 6, .draw = draw_case}; }

}  // namespace tomograph::bench::shared_memory_family
