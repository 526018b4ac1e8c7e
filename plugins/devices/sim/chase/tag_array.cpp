#include "sim/chase/tag_array.hpp"

#include <algorithm>

namespace tomograph::sim {

namespace {

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

/// The carve-outs of `cache`; a cache without any gets a single one of 0 bytes.
std::vector<std::int64_t> carveouts(const PrivateCache& cache) {
  return cache.carveouts ? cache.carveouts->shared_memory : std::vector<std::int64_t>{0};
}

}  // namespace

Request request(const Cache& cache, std::int64_t bytes) {
  const std::int64_t wanted = std::clamp(bytes, cache.sector_size, cache.line_size);
  return {sector_groups(cache, wanted), sector_groups(cache, std::max(wanted, cache.fetch_granularity))};
}

TagArray::TagArray(const PrivateCache& cache, std::int64_t sm_count)
    : set_(cache.cache.index, cache.cache.line_size, cache.ways_beside(carveouts(cache).front())),
      group_of_sm_(group_of_each_sm(cache.shared_by, sm_count)),
      per_sm_(static_cast<std::uint32_t>(cache.per_sm)),
      warp_block_(static_cast<std::uint32_t>(cache.warp_block)) {
  for (const std::int64_t carveout : carveouts(cache)) {
    organisations_.emplace_back(cache.ways_beside(carveout), cache.cache.replacement, cache.lines_beside(carveout));
  }
}

TagArray::TagArray(const Tlb& level, std::int64_t sm_count)
    : set_(level.entries.index, level.entries.line_size, level.entries.set_ways),
      organisations_{Organisation(level.entries.set_ways, level.entries.replacement)},
      group_of_sm_(group_of_each_sm(level.shared_by, sm_count)) {}

}  // namespace tomograph::sim
