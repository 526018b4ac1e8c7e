#include "sim/chase/hierarchy.hpp"

#include <algorithm>
#include <utility>

namespace tomograph::sim {

namespace {

constexpr auto last_path = chase::Path::instruction;
/// Bytes of a block of code, as on the CUDA device.
constexpr std::int64_t code_block = 128;

const Carveouts* carveouts_of(const std::vector<PrivateCache>& caches) {
  const auto found =
      std::ranges::find_if(caches, [](const PrivateCache& cache) { return cache.carveouts.has_value(); });
  return found == caches.end() ? nullptr : &*found->carveouts;
}

std::uint32_t all_sectors(const Cache& cache) { return request(cache, cache.line_size).wanted[0]; }

}  // namespace

Hierarchy::Hierarchy(Gpu description)
    : gpu(std::move(description)),
      l2_line(all_sectors(gpu.l2.cache)),
      l2_organisation(gpu.l2.cache.set_ways, gpu.l2.cache.replacement),
      home(gpu.l2),
      texture_layout(gpu.texture_memory),
      jitter(gpu.noise),
      indexed_l2_set_(gpu.l2.cache.index, gpu.l2.cache.line_size, gpu.l2.cache.set_ways),
      carveouts_(carveouts_of(gpu.caches)) {
  for (const PrivateCache& cache : gpu.caches) caches.emplace_back(cache, gpu.sm_count);
  for (const Tlb& level : gpu.translation.tlb) {
    tlb.emplace_back(level, gpu.sm_count);
    tlb_request.push_back(request(level.entries, level.entries.sector_size));
  }
  for (std::size_t path = 0; path <= static_cast<std::size_t>(last_path); ++path) {
    routes_.push_back(make_route(static_cast<chase::Path>(path)));
  }
}

Route Hierarchy::make_route(chase::Path path) const {
  Route route;
  // A load wants its own sector, a block of code all of its bytes. A miss wants what the cache fetches.
  const std::int64_t covered = path == chase::Path::instruction ? code_block : 1;
  std::int64_t wanted = covered;
  for (const PrivateCache* cache = gpu.serving(path); cache != nullptr; cache = gpu.find_cache(cache->next)) {
    const bool translates = route.l2_translates && !cache->virtually_tagged;
    const auto lines = static_cast<std::uint32_t>(std::max<std::int64_t>(covered / cache->cache.line_size, 1));
    route.links.push_back(
        {static_cast<std::size_t>(cache - gpu.caches.data()), request(cache->cache, wanted), translates, lines});
    if (translates) route.l2_translates = false;
    wanted = std::max(covered, cache->cache.fetch_granularity);
  }
  route.l2 = request(gpu.l2.cache, wanted);
  route.l2_lines = static_cast<std::uint32_t>(std::max<std::int64_t>(wanted / gpu.l2.cache.line_size, 1));
  return route;
}

std::uint32_t Hierarchy::lines_at_once(const chase::Program& program, std::size_t cache) const {
  std::uint32_t most = 1;
  for (const chase::Actor& actor : program.actors) {
    for (const Route::Link& link : route(actor.path).links) {
      if (link.cache == cache) most = std::max(most, link.lines);
    }
  }
  return most;
}

std::uint32_t Hierarchy::l2_lines(const chase::Program& program) const {
  std::uint32_t most = 1;
  for (const chase::Actor& actor : program.actors) most = std::max(most, route(actor.path).l2_lines);
  return most;
}

std::optional<std::size_t> Hierarchy::carveout(std::int64_t requested, std::int64_t taken) const {
  if (carveouts_ == nullptr) return 0;
  const std::int64_t asked = requested == chase::default_carveout ? carveouts_->default_size : requested;
  const auto selected = std::ranges::lower_bound(carveouts_->shared_memory, std::max(asked, taken));
  if (selected == carveouts_->shared_memory.end()) return std::nullopt;
  return static_cast<std::size_t>(selected - carveouts_->shared_memory.begin());
}

std::optional<std::int64_t> Hierarchy::largest_carveout() const {
  return carveouts_ == nullptr ? std::nullopt : std::optional(carveouts_->shared_memory.back());
}

std::uint32_t Hierarchy::partition_of(std::int64_t sm) const {
  if (!gpu.l2.sm_partition.empty())
    return static_cast<std::uint32_t>(gpu.l2.sm_partition[static_cast<std::size_t>(sm)]);
  return static_cast<std::uint32_t>(sm * gpu.l2.partitions / gpu.sm_count);
}

std::uint32_t Hierarchy::l2_set(std::uint64_t address) const {
  if (!gpu.l2.quotient_index) return indexed_l2_set_(address);
  const std::uint32_t set = gpu.l2.quotient_index->set_in_slice(*gpu.l2.slice_function, address);
  const auto numbers = static_cast<std::uint32_t>(gpu.l2.slice_function->numbers());
  return set * numbers + gpu.l2.slice_function->number(address);
}

std::uint32_t Hierarchy::slice_of(std::uint64_t address) const {
  if (gpu.l2.slice_function) return (*gpu.l2.slice_function)(address);
  const std::uint64_t hash = mix(address / static_cast<std::uint64_t>(gpu.l2.cache.line_size)) >> 32;
  return static_cast<std::uint32_t>((hash * static_cast<std::uint64_t>(gpu.l2.slices)) >> 32);
}

namespace {

/// A way to the network, and an SM on it.
struct Way {
  std::int64_t number;
  std::int64_t member;   ///< the SM's rank among those of the way
  std::int64_t members;  ///< SMs of the way
};

Way way_of(const SliceFunction& function, std::int64_t sm) {
  const auto& groups = function.parallel_groups;
  if (groups.empty()) return {sm / function.parallel_sms, sm % function.parallel_sms, function.parallel_sms};
  const auto own =
      std::ranges::find_if(groups, [&](const auto& group) { return std::ranges::find(group, sm) != group.end(); });
  return {own - groups.begin(), std::ranges::find(*own, sm) - own->begin(), std::ssize(*own)};
}

}  // namespace

std::vector<std::int32_t> Hierarchy::distances(std::int64_t sm) const {
  const auto& function = gpu.l2.slice_function;
  const auto [group, member, members] = function ? way_of(*function, sm) : Way{sm, 0, 1};
  // A property of the board: independent of seed and program.
  Random random(mix((static_cast<std::uint64_t>(gpu.l2.board) << 32U) + static_cast<std::uint64_t>(group) + 1));
  const auto spread = static_cast<std::int32_t>(gpu.l2.sm_latency_spread);
  std::vector<std::int32_t> distances(static_cast<std::size_t>(gpu.l2.slices));
  for (std::int32_t& distance : distances) {
    distance = static_cast<std::int32_t>(random.below(2 * static_cast<std::uint32_t>(spread) + 1)) - spread;
  }
  if (!function) return distances;
  // Places of a group are evenly far from the way that they share.
  const std::int64_t place = member / function->equal_sms;
  const auto way = static_cast<std::int32_t>(place * spread * function->equal_sms / members);
  std::vector<std::int32_t> of_slices;
  for (std::uint32_t slice = 0; slice < distances.size(); ++slice) {
    of_slices.push_back(distances[function->place(slice)] + way);
  }
  return of_slices;
}

}  // namespace tomograph::sim
