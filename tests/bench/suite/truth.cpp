#include "truth.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "cache_truth.hpp"

namespace tomograph::bench {

namespace {

void add(std::vector<Expected>& all, ExpectedFacts& facts) { std::ranges::move(facts.take(), std::back_inserter(all)); }

/// A cache as probes see it: reduced by the shared memory of the measuring kernel.
struct Seen {
  sim::Cache cache;
  std::int64_t lines = 0;
};

Seen seen_by_probes(const sim::Gpu& gpu, const sim::PrivateCache& described) {
  Seen seen{described.cache, 0};
  std::int64_t carved_out = 0;
  if (described.carveouts) {
    carved_out = *std::ranges::lower_bound(described.carveouts->shared_memory, gpu.instrument.kernel_shared);
    seen.cache.set_ways = described.ways_beside(carved_out);
  }
  seen.lines = described.lines_beside(carved_out);
  return seen;
}

/// The fetch granularity is observable only if the level before requests less.
void expect_cache(ExpectedFacts& facts, const Seen& seen) {
  expect_lines(facts, seen.cache);
  facts.exact("size", seen.lines * seen.cache.line_size);
  const Organisation sets = organisation(seen.cache);
  if (!sets.set_ways.empty()) expect_organisation(facts, sets);
}

void expect_private_caches(std::vector<Expected>& all, const sim::Gpu& gpu) {
  for (const View& view : views) {
    const sim::PrivateCache* cache = gpu.serving(view.path);
    if (cache == nullptr) continue;
    ExpectedFacts facts(std::string(view.prefix) + ".");
    const Seen seen = seen_by_probes(gpu, *cache);
    expect_cache(facts, seen);
    if (view.path != chase::Path::constant) facts.exact("virtually_tagged", cache->virtually_tagged);
    if (view.path == chase::Path::texture && gpu.load_paths.has(chase::Path::texture_2d)) {
      expect_blocks(facts, seen.cache, gpu.texture_memory.texel_order);
    }
    add(all, facts);
  }
  ExpectedFacts sharing("");
  expect_sharing(sharing, gpu);
  sharing.exact("l1_data.caches_global_loads", gpu.serving(chase::Path::global_ca) != nullptr);
  add(all, sharing);
}

void expect_outer_constants(std::vector<Expected>& all, const sim::Gpu& gpu) {
  const sim::PrivateCache* inner = gpu.serving(chase::Path::constant);
  const sim::PrivateCache* outer = inner == nullptr ? nullptr : gpu.find_cache(inner->next);
  if (outer == nullptr) return;
  ExpectedFacts facts("constant_l15.");
  facts.exact("fetch_granularity", outer->cache.fetch_granularity);
  facts.exact("line_size", outer->cache.line_size);
  facts.exact("size", outer->cache.lines() * outer->cache.line_size);
  facts.exact("set_ways", outer->cache.set_ways);
  expect_groups(facts, outer->shared_by, gpu.sm_count);
  add(all, facts);
}

void expect_l2(std::vector<Expected>& all, const sim::Gpu& gpu) {
  const sim::L2& l2 = gpu.l2;
  const std::int64_t partition = l2.cache.lines() * l2.cache.line_size;
  ExpectedFacts facts("l2.");
  expect_lines(facts, l2.cache);
  facts.exact("size", partition * l2.partitions);
  facts.exact("partition.size", partition);
  facts.exact("partition.count", l2.partitions);
  const Organisation sets = organisation(l2);
  if (!sets.set_ways.empty()) expect_organisation(facts, sets);
  add(all, facts);
}

void expect_translation(std::vector<Expected>& all, const sim::Gpu& gpu) {
  constexpr std::array prefixes{"tlb.l1.", "tlb.l2.", "tlb.l3."};
  const auto& levels = gpu.translation.tlb;
  for (std::size_t level = 0; level < std::min(levels.size(), prefixes.size()); ++level) {
    ExpectedFacts facts(prefixes[level]);
    expect_tlb(facts, levels[level].entries);
    expect_groups(facts, levels[level].shared_by, gpu.sm_count);
    add(all, facts);
  }
  if (!gpu.translation.page_window) return;
  ExpectedFacts window("page_window.");
  window.exact("size", gpu.translation.page_window->size);
  add(all, window);
}

void expect_shared_memory(std::vector<Expected>& all, const sim::Gpu& gpu) {
  if (!gpu.shared_memory) return;
  const sim::SharedMemory& memory = *gpu.shared_memory;
  ExpectedFacts facts("shared.");
  facts.exact("banks", memory.banks);
  facts.exact("bank_width", memory.bank_width);
  facts.exact("modes", memory.modes, !memory.modes.empty());
  facts.exact("phase_lanes", memory.phase_lanes);
  add(all, facts);
}

void expect_device(std::vector<Expected>& all, const sim::Gpu& gpu) {
  ExpectedFacts facts("");
  facts.exact("device.sm_count", gpu.sm_count);
  if (gpu.divergence) facts.exact("divergence.coherent_threads", gpu.divergence->width);
  add(all, facts);
}

}  // namespace

std::vector<Expected> discrete_truth(const sim::Gpu& gpu) {
  std::vector<Expected> all;
  expect_device(all, gpu);
  expect_private_caches(all, gpu);
  expect_outer_constants(all, gpu);
  expect_l2(all, gpu);
  expect_translation(all, gpu);
  expect_shared_memory(all, gpu);
  return all;
}

}  // namespace tomograph::bench
