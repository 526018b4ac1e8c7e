// TLBs of one to three levels: random entries, spans, sets (equal, unequal, hashed), LRU or FIFO, some with a
// page-table window.
#include <algorithm>
#include <sstream>

#include "cache_truth.hpp"
#include "draw.hpp"
#include "family.hpp"
#include "random_cache.hpp"

namespace tomograph::bench::tlb_family {

namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
constexpr std::int64_t memory = 65536 * mebibyte;
constexpr std::int64_t l2_bytes = 16 * mebibyte;

/// Small levels have one set or unequal ones, large ones equal sets.
std::vector<std::int64_t> draw_sets(Draw& draw, std::int64_t about) {
  if (draw.one_in(2)) return {about};
  const std::int64_t ways = draw.power_of_two(4, 8);
  std::vector<std::int64_t> sets(static_cast<std::size_t>(std::max<std::int64_t>(about / ways, 2)), ways);
  if (about <= 64 && draw.one_in(2)) sets.front() += draw.between(1, 9);
  return sets;
}

sim::Gpu draw_gpu(Draw& draw) {
  sim::Gpu gpu;
  gpu.name = "random";
  gpu.sm_count = 4;
  gpu.l2.latency = draw.between(150, 300);
  gpu.l2.far_latency = gpu.l2.latency;
  gpu.l2.cache = plain_cache(128, 32, l2_bytes / 128 / 16, 16);
  gpu.dram.latency = gpu.dram.far_latency = draw.between(400, 800);
  gpu.dram.size = memory;
  gpu.noise = usual_noise();
  std::int64_t span = draw.power_of_two(2, 8) * mebibyte;
  std::int64_t entries = draw.between(8, 32);
  const std::int64_t levels = draw.between(1, 3);
  for (std::int64_t level = 0; level < levels; ++level) {
    const auto sets = level == 0 ? std::vector<std::int64_t>{entries} : draw_sets(draw, entries);
    const std::int64_t penalty = level == 0 ? draw.between(8, 30) : draw.between(40, 150);
    gpu.translation.tlb.push_back(sim::tlb(span, sets, penalty));
    if (draw.one_in(4)) gpu.translation.tlb.back().entries.replacement.policy = sim::Replacement::Policy::fifo;
    entries *= draw.power_of_two(4, 8);
    if (draw.one_in(2)) span *= 2;
    if (2 * entries * span > memory) break;  // a level that reaches as far as the memory does not show
  }
  if (draw.one_in(4)) {
    const auto& last = gpu.translation.tlb.back().entries;
    std::int64_t size = 256 * mebibyte;
    while (size < 2 * last.lines() * last.line_size) size *= 2;
    if (size <= memory / 16) gpu.translation.page_window = {.size = size, .penalty = draw.between(500, 2000)};
  }
  return gpu;
}

void expect_level(std::vector<Expected>& all, const sim::Tlb& tlb, const std::string& prefix) {
  ExpectedFacts facts(prefix);
  expect_tlb(facts, tlb.entries);
  const auto penalty = static_cast<double>(tlb.penalty);
  facts.within("miss_penalty", penalty, 1.5 + 0.05 * penalty);
  for (Expected& one : facts.take()) all.push_back(std::move(one));
}

Case draw_case(std::uint64_t number) {
  Draw draw(number);
  sim::Gpu gpu = draw_gpu(draw);
  while (sim::violation(gpu)) gpu = draw_gpu(draw);
  std::vector<Expected> expected;
  std::ostringstream text;
  constexpr std::array prefixes{"tlb.l1.", "tlb.l2.", "tlb.l3."};
  for (std::size_t i = 0; i < gpu.translation.tlb.size(); ++i) {
    const sim::Tlb& tlb = gpu.translation.tlb[i];
    expect_level(expected, tlb, prefixes[i]);
    text << tlb.entries.lines() << " x " << tlb.entries.line_size / mebibyte << " MiB in "
         << tlb.entries.set_ways.size() << " sets of " << tlb.entries.set_ways.front() << ".."
         << tlb.entries.set_ways.back() << " ways +" << tlb.penalty << "; ";
  }
  const auto& window = gpu.translation.page_window;
  if (window) {
    ExpectedFacts facts("page_window.");
    facts.exact("size", window->size);
    facts.within("miss_penalty", static_cast<double>(window->penalty), 3 + 0.05 * static_cast<double>(window->penalty));
    for (Expected& one : facts.take()) expected.push_back(std::move(one));
    text << "window " << window->size / mebibyte << " MiB +" << window->penalty;
  }
  return {.number = number,
          .kind = std::to_string(gpu.translation.tlb.size()) + " levels" + (window ? ", window" : ""),
          .gpu = gpu,
          .geometry = text.str(),
          .expected = std::move(expected),
          .given = {{"l2.line_size", {{"value", 128}}},
                    {"l2.size", {{"value", l2_bytes}}},
                    {"dram.free", {{"value", memory}}},
                    {"device.max_shared_memory_per_block", {{"value", 131072}}}}};
}

}  // namespace

Family make() { return {.name = "tlb", .plugins = {"tlb"}, .smoke_cases = 4, .draw = draw_case}; }

}  // namespace tomograph::bench::tlb_family
