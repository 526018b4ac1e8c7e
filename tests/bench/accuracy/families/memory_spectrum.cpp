// Latency of each load pattern, with random latencies of the data cache, TLBs, page-table window and partitions.
#include <algorithm>
#include <sstream>

#include "draw.hpp"
#include "family.hpp"
#include "random_cache.hpp"

namespace tomograph::bench::memory_spectrum_family {

namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
constexpr std::int64_t memory = 16384 * mebibyte;
constexpr std::int64_t line = 128;
constexpr double tolerance = 0.02;

void draw_partitions(Draw& draw, sim::Gpu& gpu) {
  gpu.l2.partitions = 2;
  // A bit above the index bits, so that every set has lines of both homes, and one that varies within a page.
  const int above = Draw::exponent(static_cast<std::int64_t>(gpu.l2.cache.set_ways.size()) * line);
  gpu.l2.home_masks = {(std::uint64_t{1} << above) | (std::uint64_t{1} << draw.between(8, 12))};
  gpu.l2.replicate = draw.one_in(2);
  gpu.l2.far_latency = gpu.l2.latency + draw.between(60, 200);
  gpu.dram.far_latency = gpu.dram.latency + draw.between(80, 200);
}

void draw_translation(Draw& draw, sim::Translation& translation) {
  std::int64_t span = draw.power_of_two(2, 8) * mebibyte;
  std::int64_t entries = draw.between(8, 24);
  const std::int64_t levels = draw.between(0, 3);
  for (std::int64_t level = 0; level < levels; ++level) {
    translation.tlb.push_back(sim::tlb(span, {entries}, level == 0 ? draw.between(8, 40) : draw.between(40, 150)));
    if (draw.one_in(4)) translation.tlb.back().entries.replacement.policy = sim::Replacement::Policy::fifo;
    entries *= draw.power_of_two(2, 8);
    if (draw.one_in(2)) span *= 2;
  }
  if (levels > 0 && draw.one_in(2)) translation.first_walk_penalty = draw.between(20, 2000);
  if (levels > 0 && draw.one_in(2)) {
    std::int64_t size = 256 * mebibyte;
    const auto& last = translation.tlb.back().entries;
    while (size < 2 * last.lines() * last.line_size) size *= 2;
    translation.page_window = {.size = size, .penalty = draw.between(500, 2000)};
  }
}

sim::Gpu draw_gpu(Draw& draw) {
  sim::Gpu gpu;
  gpu.name = "random";
  gpu.sm_count = draw.between(2, 16);
  gpu.l2.latency = gpu.l2.far_latency = draw.between(150, 300);
  gpu.l2.cache = plain_cache(line, 32, draw.power_of_two(512, 4096), 16);
  gpu.dram.latency = gpu.dram.far_latency = draw.between(400, 800);
  gpu.dram.size = memory;
  gpu.noise = usual_noise();
  if (draw.one_in(2)) draw_partitions(draw, gpu);
  draw_translation(draw, gpu.translation);
  gpu.api = {{"l2.nominal_size", gpu.l2.partitions * gpu.l2.cache.lines() * line}};
  return gpu;
}

/// Mean latency over near and far lines.
double mean_way(std::int64_t near, std::int64_t far, bool both) {
  return static_cast<double>(both ? near + far : 2 * near) / 2;
}

/// Whether memory has twice as many pages as any level has entries, and the L2 holds a line of each.
bool overflows(const sim::Gpu& gpu) {
  std::int64_t entries = 0;
  std::int64_t span = 0;
  for (const sim::Tlb& level : gpu.translation.tlb) {
    entries = std::max(entries, level.entries.lines());
    span = std::max(span, level.entries.line_size);
  }
  const std::int64_t pages = 2 * entries + 2;
  return entries > 0 && pages * span < memory / 8 * 7 && 4 * std::max<std::int64_t>(pages, 512) <= gpu.l2.cache.lines();
}

std::vector<Expected> expected(const sim::Gpu& gpu) {
  ExpectedFacts facts("");
  const bool halves = gpu.l2.partitions > 1;
  const auto& tlb = gpu.translation.tlb;
  std::int64_t all_levels = 0;
  for (const sim::Tlb& level : tlb) all_levels += level.penalty;
  const std::int64_t first_walk = all_levels + gpu.translation.first_walk_penalty;
  const double hit = mean_way(gpu.l2.latency, gpu.l2.far_latency, halves && !gpu.l2.replicate);
  const double miss = mean_way(gpu.dram.latency, gpu.dram.far_latency, halves);
  const auto expect = [&](const char* name, double truth, bool observable = true) {
    facts.within(name, truth, tolerance * truth, observable);
  };
  expect("memory_spectrum.p1", hit);
  const bool apart = tlb.size() > 1 && tlb[1].entries.lines() >= 4 * tlb[0].entries.lines();
  expect("memory_spectrum.p2", hit + (tlb.empty() ? 0.0 : static_cast<double>(tlb[0].penalty)), apart);
  expect("memory_spectrum.p3", hit + static_cast<double>(all_levels), overflows(gpu));
  expect("memory_spectrum.p4", miss);
  expect("memory_spectrum.p5", miss + static_cast<double>(first_walk), overflows(gpu));
  const auto& window = gpu.translation.page_window;
  const double change = window ? static_cast<double>(window->penalty) : 0;
  expect("memory_spectrum.p6", miss + static_cast<double>(first_walk) + change,
         window && overflows(gpu) && 5 * window->size <= memory);
  expect("dram.latency", miss);
  expect("dram.latency.near", static_cast<double>(gpu.dram.latency));
  expect("dram.latency.far", static_cast<double>(gpu.dram.far_latency), halves);
  return facts.take();
}

std::map<std::string, Json> given(const sim::Gpu& gpu) {
  std::map<std::string, Json> facts{{"l2.line_size", {{"value", line}}},
                                    {"l2.partition.count", {{"value", gpu.l2.partitions}}},
                                    {"dram.free", {{"value", memory}}}};
  for (std::size_t i = 0; i < gpu.translation.tlb.size(); ++i) {
    const sim::Tlb& level = gpu.translation.tlb[i];
    const std::string prefix = "tlb.l" + std::to_string(i + 1);
    facts[prefix + ".entries"] = {{"value", level.entries.lines()}};
    facts[prefix + ".entry_span"] = {{"value", level.entries.line_size}};
    facts[prefix + ".miss_penalty"] = {{"value", static_cast<double>(level.penalty)}};
  }
  if (const auto& window = gpu.translation.page_window) {
    facts["page_window.size"] = {{"value", window->size}};
    facts["page_window.miss_penalty"] = {{"value", static_cast<double>(window->penalty)}};
  }
  return facts;
}

std::string geometry(const sim::Gpu& gpu) {
  std::ostringstream text;
  text << gpu.l2.partitions << " partitions, L2 +" << gpu.l2.latency << ".." << gpu.l2.far_latency << ", memory +"
       << gpu.dram.latency << ".." << gpu.dram.far_latency << "; ";
  for (const sim::Tlb& level : gpu.translation.tlb) {
    text << level.entries.lines() << " x " << level.entries.line_size / mebibyte << " MiB +" << level.penalty << "; ";
  }
  if (const auto more = gpu.translation.first_walk_penalty; more > 0) text << "first walks +" << more << "; ";
  const auto& window = gpu.translation.page_window;
  if (window) text << "window " << window->size / mebibyte << " MiB +" << window->penalty;
  return text.str();
}

Case draw_case(std::uint64_t number) {
  Draw draw(number);
  sim::Gpu gpu = draw_gpu(draw);
  while (sim::violation(gpu)) gpu = draw_gpu(draw);
  return {.number = number,
          .kind = std::to_string(gpu.translation.tlb.size()) + " levels" +
                  (gpu.translation.page_window ? ", window" : "") + (gpu.l2.partitions > 1 ? ", partitions" : ""),
          .gpu = gpu,
          .geometry = geometry(gpu),
          .expected = expected(gpu),
          .given = given(gpu)};
}

}  // namespace

Family make() {
  return {.name = "memory_spectrum", .plugins = {"memory-spectrum"}, .smoke_cases = 6, .draw = draw_case};
}

}  // namespace tomograph::bench::memory_spectrum_family
