#include "draw_strange.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "parts.hpp"

namespace independent {

namespace {

void make_policy_strange(Random& random, CacheDescription& cache) {
  cache.policy = random.pick({Policy::nru, Policy::bit_plru, Policy::srrip, Policy::clock, Policy::lip, Policy::bip,
                              Policy::not_last, Policy::tree_plru});
  if (cache.set_ways.front() > 64 && cache.policy == Policy::tree_plru) cache.policy = Policy::nru;
}

/// Any number of ways from 1 to 24, in about the same size.
void make_ways_strange(Random& random, CacheDescription& cache) {
  const int ways = static_cast<int>(random.between(1, 24));
  cache.set_ways.assign(cache.set_ways.size(), ways);
  if (cache.policy == Policy::way_weighted || cache.policy == Policy::segmented_lru) cache.policy = Policy::nru;
}

/// Some sets lack a way or more.
void make_sets_unequal(Random& random, CacheDescription& cache) {
  for (int& ways : cache.set_ways) {
    if (ways > 2 && random.chance(0.3)) ways -= static_cast<int>(random.between(1, (ways - 1) / 2));
  }
  if (cache.policy == Policy::way_weighted || cache.policy == Policy::segmented_lru) cache.policy = Policy::clock;
}

/// Any number of sets, chosen by a remainder or by a hash that is not linear.
void make_index_strange(Random& random, CacheDescription& cache) {
  const auto sets = static_cast<std::int64_t>(cache.index.sets);
  cache.index.masks.clear();
  cache.index.kind = random.pick({SetIndex::Kind::modulus, SetIndex::Kind::scrambled});
  cache.index.sets = static_cast<std::uint32_t>(random.between(std::max<std::int64_t>(sets * 2 / 3, 2), sets));
  cache.set_ways.assign(cache.index.sets, cache.set_ways.front());
}

void make_lines_strange(Random& random, FirstLevel& first, std::int64_t l2_sector) {
  CacheDescription& cache = first.cache;
  if (random.chance(0.5)) {
    cache.fetch = std::min(cache.line, std::max(2 * l2_sector, cache.sector));
    first.waits_for_all = random.chance(0.5);
  } else if (cache.index.kind == SetIndex::Kind::linear) {
    // Lines of 256 B, in a plain order, with as many sets as before.
    cache.line = 256;
    cache.index = contiguous_index(log2_of(cache.line), log2_of(cache.index.sets));
  }
}

void make_cache_strange(Random& random, CacheDescription& cache) {
  if (random.chance(0.25)) make_ways_strange(random, cache);
  if (random.chance(0.6)) make_policy_strange(random, cache);
  if (random.chance(0.25)) make_index_strange(random, cache);
  if (random.chance(0.15)) make_sets_unequal(random, cache);
}

void make_l2_strange(Random& random, Gpu& gpu) {
  L2Description& l2 = gpu.l2;
  make_cache_strange(random, l2.cache);
  if (l2.cache.size() < 4 * 64 * KiB) l2.cache.set_ways.assign(l2.cache.set_ways.size(), 8);
  l2.slices = std::min(l2.slices, l2.cache.index.sets);
  if (random.chance(0.15)) l2.cache.prefetched_lines = 1;
  if (l2.partitions > 1 && random.chance(0.4)) {
    l2.partitions = static_cast<std::uint32_t>(random.between(2, 4));
    l2.partition_masks.clear();
    l2.partition_of_sm = dealt(gpu.sms, l2.partitions);
  }
  if (l2.partitions > 1 && random.chance(0.3)) l2.far_extra = std::round(0.18 * static_cast<double>(l2.latency[0][0]));
}

/// Entries that hold several translations, each brought by a miss of its own.
void give_sub_entries(Random& random, TlbDescription& tlb, std::int64_t page) {
  const std::int64_t parts = random.pick<std::int64_t>({2, 4, 8});
  tlb.entries.sector = std::max(page, tlb.entries.line / parts);
  tlb.entries.fetch = tlb.entries.sector;
}

/// One large set and several smaller ones, as in the second TLB of Fermi to Maxwell (Mei & Chu 2017).
void make_tlb_sets_unequal(TlbDescription& tlb) {
  if (tlb.entries.lines() < 24) return;
  const int small = static_cast<int>(tlb.entries.lines() / 9);
  tlb.entries.index = {.kind = SetIndex::Kind::modulus, .sets = 7};
  tlb.entries.set_ways.assign(7, small);
  tlb.entries.set_ways.front() = 2 * small + 1;
}

/// Pages of 64 KiB or, as processors have them, 4 KiB, with which spans may shrink as well.
void make_pages_small(Random& random, Translation& translation) {
  translation.page = 64 * KiB;
  if (translation.window > 0 || random.chance(0.5)) return;
  if (random.chance(0.5)) translation.page = 4 * KiB;
  const int shrinkage = std::countr_zero(static_cast<std::uint64_t>(2 * MiB / translation.page));
  for (TlbDescription& tlb : translation.tlbs) {
    tlb.entries.line >>= shrinkage;
    tlb.entries.sector = tlb.entries.fetch = tlb.entries.line;
    for (std::uint64_t& mask : tlb.entries.index.masks) mask >>= shrinkage;
  }
}

void make_translation_strange(Random& random, Gpu& gpu) {
  Translation& translation = gpu.translation;
  if (random.chance(0.25)) make_pages_small(random, translation);
  for (TlbDescription& tlb : translation.tlbs) {
    if (random.chance(0.3)) give_sub_entries(random, tlb, std::min(2 * MiB, tlb.entries.line));
    if (random.chance(0.15)) make_tlb_sets_unequal(tlb);
    if (random.chance(0.4)) make_policy_strange(random, tlb.entries);
  }
  if (random.chance(0.25)) {
    CacheDescription& walks = translation.walk_cache.emplace();
    walks.line = walks.sector = walks.fetch = random.pick<std::int64_t>({128, 512}) * MiB;
    set_geometry(walks, {}, static_cast<int>(random.between(2, 16)));
    translation.walk_cache_penalty = std::round(random.uniform(30, 150));
  }
}

}  // namespace

void make_strange(Random& random, Gpu& gpu) {
  for (FirstLevel& first : gpu.first_levels) {
    first.shares_sram = false;
    make_cache_strange(random, first.cache);
    if (random.chance(0.3)) make_lines_strange(random, first, gpu.l2.cache.sector);
    if (random.chance(0.1)) first.cache.prefetched_lines = 1;
  }
  if (random.chance(0.5)) make_policy_strange(random, gpu.constants.l1);
  if (gpu.constants.l15) {
    if (random.chance(0.5)) make_policy_strange(random, *gpu.constants.l15);
    gpu.constants.l15_remembers = group_count(gpu.constants.l15_of_sm) < gpu.sms && random.chance(0.3);
  }
  make_l2_strange(random, gpu);
  make_translation_strange(random, gpu);
  gpu.memory.open_rows = random.chance(0.4);
  gpu.memory.row_share = gpu.memory.open_rows ? 0 : gpu.memory.row_share;
}

}  // namespace independent
