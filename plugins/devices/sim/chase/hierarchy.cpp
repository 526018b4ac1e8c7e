#include "sim/chase/hierarchy.hpp"

#include <algorithm>
#include <utility>

namespace tomograph::sim {

namespace {

std::int64_t l1_fetch(const Gpu& gpu) { return gpu.l1 ? gpu.l1->cache.fetch_granularity : 0; }

Request request(const Cache& l2, std::int64_t wanted_bytes) {
  const std::int64_t wanted = std::clamp(wanted_bytes, l2.sector_size, l2.line_size);
  return {sector_groups(l2, wanted), sector_groups(l2, std::max(wanted, l2.fetch_granularity))};
}

}  // namespace

SectorGroups sector_groups(const Cache& cache, std::int64_t bytes) {
  SectorGroups groups{};
  const std::int64_t sectors = cache.line_size / cache.sector_size;
  const std::int64_t group = bytes / cache.sector_size;
  for (std::int64_t sector = 0; sector < sectors; ++sector) {
    const std::int64_t first = sector / group * group;
    for (std::int64_t i = first; i < first + group; ++i)
      groups[static_cast<std::size_t>(sector)] |= std::uint32_t{1} << i;
  }
  return groups;
}

Hierarchy::Hierarchy(Gpu description)
    : gpu(std::move(description)),
      l2_set(gpu.l2.cache.index, gpu.l2.cache.line_size, gpu.l2.cache.set_ways.size()),
      l2_organisation(gpu.l2.cache.set_ways, gpu.l2.cache.replacement),
      home(gpu.l2.home_masks),
      bypass(request(gpu.l2.cache, gpu.l2.cache.sector_size)),
      l1_miss(request(gpu.l2.cache, l1_fetch(gpu))),
      l2_block(std::max(gpu.l2.cache.line_size, l1_fetch(gpu))),
      jitter(gpu.noise) {
  for (const Tlb& tlb : gpu.tlb) tlb_organisation.emplace_back(std::array{tlb.entries}, Replacement{});
  if (!gpu.l1) return;
  const L1& l1 = *gpu.l1;
  l1_fetched = sector_groups(l1.cache, l1.cache.fetch_granularity);
  const auto carveouts = l1.carveouts ? l1.carveouts->shared_memory : std::vector<std::int64_t>{0};
  for (const std::int64_t carveout : carveouts) {
    l1_organisation_.emplace_back(l1.ways_beside(carveout), l1.cache.replacement, l1.lines_beside(carveout));
  }
  l1_set.emplace(l1.cache.index, l1.cache.line_size, l1_organisation_.front().sets());
}

const Organisation* Hierarchy::l1_beside(std::int64_t requested) const {
  if (!gpu.l1->carveouts) return &l1_organisation_.front();
  const Carveouts& carveouts = *gpu.l1->carveouts;
  const std::int64_t asked = requested == chase::default_carveout ? carveouts.default_size : requested;
  const std::int64_t needed = std::max(asked, gpu.instrument.kernel_shared);
  const auto selected = std::ranges::lower_bound(carveouts.shared_memory, needed);
  if (selected == carveouts.shared_memory.end()) return nullptr;
  return &l1_organisation_[static_cast<std::size_t>(selected - carveouts.shared_memory.begin())];
}

bool Hierarchy::in_l1(chase::Path path) const {
  return gpu.l1 && std::ranges::find(gpu.l1->paths, path) != gpu.l1->paths.end();
}

std::uint32_t Hierarchy::partition_of(std::int64_t sm) const {
  if (!gpu.l2.sm_partition.empty())
    return static_cast<std::uint32_t>(gpu.l2.sm_partition[static_cast<std::size_t>(sm)]);
  return static_cast<std::uint32_t>(sm * gpu.l2.partitions / gpu.sm_count);
}

std::vector<std::int32_t> Hierarchy::distances(std::int64_t sm) const {
  // A property of the chip, so it depends on neither the seed nor the program.
  Random random(mix(static_cast<std::uint64_t>(sm) + 1));
  const auto spread = static_cast<std::int32_t>(gpu.l2.sm_latency_spread);
  std::vector<std::int32_t> distances(static_cast<std::size_t>(gpu.l2.slices));
  for (std::int32_t& distance : distances) {
    distance = static_cast<std::int32_t>(random.below(2 * static_cast<std::uint32_t>(spread) + 1)) - spread;
  }
  return distances;
}

}  // namespace tomograph::sim
