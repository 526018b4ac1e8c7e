#include "machine.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace independent {

namespace {

constexpr int most_instances = 4;  ///< of a first level in an SM
constexpr std::uint64_t row_bytes = 2048;
constexpr std::uint64_t banks = 512;
constexpr unsigned half_bits = 12;  ///< of a page's number below 2^24
constexpr std::uint64_t remembered_pages = 4096;

std::vector<Cache> instances(const CacheDescription& description, std::uint32_t count, Random& seeds) {
  std::vector<Cache> caches;
  for (std::uint32_t i = 0; i < count; ++i) caches.emplace_back(description, seeds.next());
  return caches;
}

std::uint32_t instance_count(const Groups& of_sm) {
  return of_sm.empty() ? 0 : *std::max_element(of_sm.begin(), of_sm.end()) + 1;
}

/// The instance, in an SM with several, that serves a warp: the SM's four schedulers are dealt to them.
std::uint32_t instance_of_warp(std::uint32_t warp, int per_sm) {
  return (warp % 4) * static_cast<std::uint32_t>(per_sm) / 4;
}

bool is_private(const Groups& of_sm) { return instance_count(of_sm) == of_sm.size(); }

}  // namespace

Machine::Machine(Gpu gpu, std::uint64_t run)
    : gpu_(std::move(gpu)),
      noise_(gpu_.noise, mix(gpu_.seed) ^ run),
      home_(gpu_.l2.partition_masks),
      first_levels_(gpu_.first_levels.size() * static_cast<std::size_t>(gpu_.sms) * most_instances),
      constant_l1_(static_cast<std::size_t>(gpu_.sms) * most_instances),
      open_rows_(banks),
      placed_(remembered_pages),
      page_shift_(static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(gpu_.translation.page)))) {
  Random seeds(mix(gpu_.seed + 1) ^ run);
  l2_ = instances(gpu_.l2.cache, gpu_.l2.partitions, seeds);
  for (const TlbDescription& tlb : gpu_.translation.tlbs) {
    tlbs_.push_back(instances(tlb.entries, instance_count(tlb.instance_of_sm), seeds));
  }
  if (gpu_.translation.walk_cache) walk_cache_.emplace(*gpu_.translation.walk_cache, seeds.next());
  if (gpu_.constants.l15) {
    constant_l15_ = instances(*gpu_.constants.l15, instance_count(gpu_.constants.l15_of_sm), seeds);
  }
}

void Machine::begin_program(std::int64_t carveout) {
  carveout_ = carveout;
  for (const auto& cache : first_levels_) {
    if (cache) cache->invalidate();
  }
  for (const auto& cache : constant_l1_) {
    if (cache) cache->invalidate();
  }
  if (!gpu_.constants.l15_remembers) {
    for (Cache& cache : constant_l15_) cache.invalidate();
  }
  for (std::size_t level = 0; level < tlbs_.size(); ++level) {
    if (!is_private(gpu_.translation.tlbs[level].instance_of_sm)) continue;
    for (Cache& cache : tlbs_[level]) cache.invalidate();
  }
}

Cache& Machine::first_level(int level, std::uint32_t sm, std::uint32_t warp) {
  const FirstLevel& description = gpu_.first_levels[static_cast<std::size_t>(level)];
  const std::size_t of_level = static_cast<std::size_t>(level) * static_cast<std::size_t>(gpu_.sms) + sm;
  auto& cache = first_levels_[of_level * most_instances + instance_of_warp(warp, description.per_sm)];
  if (!cache) cache = std::make_unique<Cache>(description.cache, noise_.random().next());
  if (description.shares_sram) cache->limit_ways(static_cast<std::uint32_t>(ways_beside(description, carveout_)));
  return *cache;
}

Cache& Machine::constant_l1(std::uint32_t sm, std::uint32_t warp) {
  auto& cache = constant_l1_[sm * most_instances + instance_of_warp(warp, gpu_.constants.l1_per_sm)];
  if (!cache) cache = std::make_unique<Cache>(gpu_.constants.l1, noise_.random().next());
  return *cache;
}

// A Feistel network over the number of the page: a permutation, so that no two pages share memory.
std::uint64_t Machine::frame_of(std::uint64_t page) const {
  constexpr std::uint64_t half_mask = (1U << half_bits) - 1;
  std::uint64_t left = (page >> half_bits) & half_mask;
  std::uint64_t right = page & half_mask;
  for (std::uint64_t round = 0; round < 3; ++round) {
    const std::uint64_t mixed = left ^ (mix(right + (round << 32) + gpu_.seed * 0x9e3779b97f4a7c15U) & half_mask);
    left = std::exchange(right, mixed);
  }
  return (left << half_bits) | right;
}

std::uint64_t Machine::placed(std::uint64_t logical) {
  const std::uint64_t page = logical >> page_shift_;
  Placed& known = placed_[page % remembered_pages];
  if (known.page != page) known = {page, frame_of(page)};
  return (known.frame << page_shift_) | (logical & ((std::uint64_t{1} << page_shift_) - 1));
}

std::uint32_t Machine::home_of(std::uint64_t physical) const {
  if (gpu_.l2.partitions == 1) return 0;
  if (!gpu_.l2.partition_masks.empty()) return home_.of(physical);
  return static_cast<std::uint32_t>((mix(physical >> 12) >> 32) % gpu_.l2.partitions);
}

void Machine::write(Address address, bool translated) {
  if (translated) {
    for (std::size_t level = 0; level < tlbs_.size(); ++level) {
      const auto& of_sm = gpu_.translation.tlbs[level].instance_of_sm;
      if (!is_private(of_sm)) tlbs_[level][of_sm[0]].access(address.logical);
    }
  }
  const std::uint32_t home = home_of(address.physical);
  for (std::uint32_t partition = 0; partition < gpu_.l2.partitions; ++partition) {
    if (partition == home) {
      l2_[partition].access(address.physical);
    } else if (gpu_.l2.replicated) {
      l2_[partition].drop(address.physical);
    }
  }
}

double Machine::walk(std::uint64_t logical) {
  const Translation& translation = gpu_.translation;
  double cycles = 0;
  if (walk_cache_ && !walk_cache_->access(logical)) cycles += translation.walk_cache_penalty;
  if (translation.window > 0) {
    const std::uint64_t window = logical / static_cast<std::uint64_t>(translation.window);
    if (window != std::exchange(window_, window)) cycles += translation.window_penalty;
  }
  return cycles;
}

double Machine::translate(std::uint32_t sm, std::uint64_t logical) {
  double cycles = 0;
  for (std::size_t level = 0; level < tlbs_.size(); ++level) {
    const TlbDescription& tlb = gpu_.translation.tlbs[level];
    if (tlbs_[level][tlb.instance_of_sm[sm]].access(logical)) return cycles;
    cycles += tlb.penalty;
  }
  return cycles + walk(logical);
}

double Machine::load_memory(std::uint64_t physical, bool far) {
  const MemoryDescription& memory = gpu_.memory;
  bool other_row = noise_.random().chance(memory.row_share);
  if (memory.open_rows) {
    const std::uint64_t row = physical / row_bytes;
    other_row = std::exchange(open_rows_[mix(row) % banks], row) != row;
  }
  return memory.extra + (far ? memory.far_extra : 0) + noise_.memory(memory, other_row);
}

double Machine::load_l2(std::uint32_t sm, std::uint64_t physical) {
  const L2Description& l2 = gpu_.l2;
  const std::uint32_t own = l2.partition_of_sm[sm];
  const std::uint32_t home = home_of(physical);
  const std::uint32_t set = l2_[home].set_of(physical);
  double cycles = static_cast<double>(l2.latency[sm][set % l2.slices]) + noise_.l2();
  const bool far = home != own;
  if (!far || !l2.replicated) {
    if (far) cycles += l2.far_extra;
    if (!l2_[home].access(physical, set)) cycles += load_memory(physical, far);
    return cycles * noise_.drift();
  }
  if (l2_[own].access(physical, set)) return cycles * noise_.drift();
  cycles += l2.far_extra;
  // Memory belongs to its home, so what comes from there stays in both.
  if (!l2_[home].access(physical, set)) cycles += load_memory(physical, far);
  return cycles * noise_.drift();
}

double Machine::fetch(std::uint32_t sm, const CacheDescription& cache, std::uint64_t physical, bool waits_for_all) {
  const auto fetched = static_cast<std::uint64_t>(cache.fetch);
  const auto step = static_cast<std::uint64_t>(std::min(gpu_.l2.cache.sector, cache.fetch));
  const std::uint64_t start = physical / fetched * fetched;
  double longest = 0;
  double wanted = 0;
  for (std::uint64_t sector = start; sector < start + fetched; sector += step) {
    const double cycles = load_l2(sm, sector);
    longest = std::max(longest, cycles);
    if (sector == physical / step * step) wanted = cycles;
  }
  return waits_for_all ? longest : wanted;
}

double Machine::load_past_first_level(std::uint32_t sm, Address address) {
  const double translation = translate(sm, address.logical);
  return translation + load_l2(sm, address.physical);
}

double Machine::load_global(PathOfFirstLevel path, std::uint32_t sm, std::uint32_t warp, Address address) {
  const int level = gpu_.level_of_path[path];
  if (level < 0) return load_past_first_level(sm, address);
  const FirstLevel& first = gpu_.first_levels[static_cast<std::size_t>(level)];
  const double latency = gpu_.path_latency[path];
  double translation = first.virtually_tagged ? 0 : translate(sm, address.logical);
  const std::uint64_t tagged = first.virtually_tagged ? address.logical : address.physical;
  if (first_level(level, sm, warp).access(tagged)) return latency + translation + noise_.first_level();
  if (first.virtually_tagged) translation = translate(sm, address.logical);
  return latency - first.bypass + translation + fetch(sm, first.cache, address.physical, first.waits_for_all);
}

double Machine::load_constant(std::uint32_t sm, std::uint32_t warp, Address address) {
  const ConstantCaches& constants = gpu_.constants;
  if (constant_l1(sm, warp).access(address.logical)) return constants.l1_latency + noise_.first_level();
  if (!constants.l15) {
    return constants.l1_latency - constants.bypass + fetch(sm, constants.l1, address.physical, false);
  }
  if (constant_l15_[constants.l15_of_sm[sm]].access(address.logical)) {
    return constants.l15_latency + noise_.first_level();
  }
  return constants.l15_latency - constants.bypass + fetch(sm, *constants.l15, address.physical, false);
}

}  // namespace independent
