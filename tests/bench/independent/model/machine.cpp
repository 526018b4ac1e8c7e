#include "machine.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

namespace independent {

namespace {

constexpr std::uint64_t row_bytes = 2048;
constexpr std::uint64_t banks = 512;
constexpr unsigned half_bits = 12;  ///< of a page's number below 2^24
constexpr std::uint64_t remembered_pages = 4096;
/// State of L2 that the host's second cache holds: half a megabyte, since it holds other things too.
constexpr std::size_t held_bytes = std::size_t{1} << 19;

std::vector<Cache> instances(const CacheDescription& description, std::uint32_t count, Random& seeds) {
  std::vector<Cache> caches;
  for (std::uint32_t i = 0; i < count; ++i) caches.emplace_back(description, seeds.next());
  return caches;
}

std::uint32_t instance_count(const Groups& of_sm) {
  return of_sm.empty() ? 0 : *std::max_element(of_sm.begin(), of_sm.end()) + 1;
}

bool is_private(const Groups& of_sm) { return instance_count(of_sm) == of_sm.size(); }

}  // namespace

Machine::Machine(Gpu gpu, std::uint64_t run)
    : gpu_(std::move(gpu)),
      noise_(gpu_.noise, mix(gpu_.seed) ^ run),
      home_(gpu_.l2.partition_masks),
      far_extra_{0, gpu_.l2.far_extra},
      first_levels_(gpu_.first_levels.size() * static_cast<std::size_t>(gpu_.sms) * most_instances),
      constant_l1_(static_cast<std::size_t>(gpu_.sms) * most_instances),
      open_rows_(banks),
      placed_(remembered_pages),
      page_shift_(static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(gpu_.translation.page)))) {
  if (gpu_.translation.tlbs.size() > most_tlbs) throw std::invalid_argument("a GPU has at most three levels of TLBs");
  Random seeds(mix(gpu_.seed + 1) ^ run);
  l2_ = instances(gpu_.l2.cache, gpu_.l2.partitions, seeds);
  is_large_ = gpu_.l2.partitions * l2_.front().state_bytes() > held_bytes;
  for (const TlbDescription& tlb : gpu_.translation.tlbs) {
    tlbs_.push_back(instances(tlb.entries, instance_count(tlb.instance_of_sm), seeds));
  }
  for (std::size_t sm = 0; sm < static_cast<std::size_t>(gpu_.sms); ++sm) {
    for (std::size_t level = 0; level < tlbs_.size(); ++level) {
      tlbs_of_sm_.push_back(&tlbs_[level][gpu_.translation.tlbs[level].instance_of_sm[sm]]);
    }
    l2_latencies_.insert(l2_latencies_.end(), gpu_.l2.latency[sm].begin(), gpu_.l2.latency[sm].end());
  }
  for (std::size_t level = 0; level < tlbs_.size(); ++level) {
    const Groups& of_sm = gpu_.translation.tlbs[level].instance_of_sm;
    if (!is_private(of_sm)) written_tlbs_.push_back(&tlbs_[level][of_sm[0]]);
  }
  if (gpu_.translation.walk_cache) walk_cache_.emplace(*gpu_.translation.walk_cache, seeds.next());
  if (gpu_.constants.l15) {
    constant_l15_ = instances(*gpu_.constants.l15, instance_count(gpu_.constants.l15_of_sm), seeds);
  }
}

void Machine::begin_program(std::int64_t carveout) {
  carveout_ = carveout;
  for (std::size_t i = 0; i < first_levels_.size(); ++i) {
    if (!first_levels_[i]) continue;
    first_levels_[i]->invalidate();
    limit_ways(*first_levels_[i], gpu_.first_levels[i / (first_levels_.size() / gpu_.first_levels.size())]);
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

void Machine::limit_ways(Cache& cache, const FirstLevel& level) const {
  if (level.shares_sram) cache.limit_ways(static_cast<std::uint32_t>(ways_beside(level, carveout_)));
}

std::unique_ptr<Cache> Machine::make_first_level(const FirstLevel& level) {
  auto cache = std::make_unique<Cache>(level.cache, noise_.random().next());
  limit_ways(*cache, level);
  return cache;
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

void Machine::drop_copies(const Address& address) {
  for (std::uint32_t partition = 0; partition < gpu_.l2.partitions; ++partition) {
    if (partition != address.home) l2_[partition].drop(address.physical, address.set);
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

bool Machine::opens_row(std::uint64_t physical) {
  const std::uint64_t row = physical / row_bytes;
  return std::exchange(open_rows_[mix(row) % banks], row) != row;
}

double Machine::fetch(std::uint32_t sm, const CacheDescription& cache, Address& address, bool waits_for_all) {
  const auto fetched = static_cast<std::uint64_t>(cache.fetch);
  const auto step = static_cast<std::uint64_t>(std::min(gpu_.l2.cache.sector, cache.fetch));
  const auto line = static_cast<std::uint64_t>(gpu_.l2.cache.line);
  const std::uint64_t start = address.physical & ~(fetched - 1);
  if (fetched == step) return load_l2(sm, start, address);  // the frequent case
  double longest = 0;
  double wanted = 0;
  for (std::uint64_t sector = start; sector < start + fetched; sector += step) {
    const bool same_line = (sector ^ address.physical) < line;
    Address other;
    if (!same_line) other = this->address(address.logical, sector);
    const double cycles = load_l2(sm, sector, same_line ? address : other);
    longest = std::max(longest, cycles);
    if ((sector ^ address.physical) < step) wanted = cycles;
  }
  return waits_for_all ? longest : wanted;
}

double Machine::load_constant(std::uint32_t sm, std::uint32_t warp, Address& address) {
  const ConstantCaches& constants = gpu_.constants;
  Cache& cache = constant_l1(sm, warp);
  if (cache.access(address.logical, cache.set_of(address.logical), address.first_level_way)) {
    return constants.l1_latency + noise_.first_level();
  }
  if (!constants.l15) {
    return constants.l1_latency - constants.bypass + fetch(sm, constants.l1, address, false);
  }
  if (constant_l15_[constants.l15_of_sm[sm]].access(address.logical)) {
    return constants.l15_latency + noise_.first_level();
  }
  return constants.l15_latency - constants.bypass + fetch(sm, *constants.l15, address, false);
}

}  // namespace independent
