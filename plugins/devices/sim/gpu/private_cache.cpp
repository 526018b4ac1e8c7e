#include "sim/gpu/private_cache.hpp"

#include <algorithm>
#include <functional>

#include "sim/gpu/load_paths.hpp"
#include "sim/gpu/section.hpp"

namespace tomograph::sim {

namespace {

Broken carveout_sizes_violation(const Carveouts& carveouts, const std::string& key) {
  const auto& sizes = carveouts.shared_memory;
  const std::string list = key + ".shared_memory";
  if (std::ranges::adjacent_find(sizes, std::greater_equal()) != sizes.end()) {
    return Violation{list, "must be in ascending order without repetition"};
  }
  if (std::ranges::find(sizes, carveouts.default_size) == sizes.end()) {
    return Violation{key + ".default", "is " + text(carveouts.default_size) + ", not one of shared_memory"};
  }
  if (carveouts.reserved.size() != sizes.size()) {
    return Violation{key + ".reserved", "has " + std::to_string(carveouts.reserved.size()) +
                                            " entries, shared_memory has " + std::to_string(sizes.size())};
  }
  if (auto broken = at_most(list, sizes.back(), carveouts.sram)) return broken;
  for (const std::int64_t bytes : carveouts.reserved) {
    if (auto broken = at_most(key + ".reserved", bytes, carveouts.sram)) return broken;
  }
  return std::nullopt;
}

bool needs_constant_ways(const Replacement& replacement) {
  using Policy = Replacement::Policy;
  return replacement.policy == Policy::way_weighted || replacement.policy == Policy::way_order ||
         replacement.policy == Policy::tree_plru || replacement.policy == Policy::not_recently_used;
}

Broken carveouts_violation(const PrivateCache& cache, const std::string& key) {
  const Carveouts& carveouts = *cache.carveouts;
  if (auto broken = line_violation(cache.cache)) return within(key, broken);
  if (auto broken = at_most(key + ".carveouts.sram", carveouts.sram, maximum_lines * cache.cache.line_size))
    return broken;
  if (auto broken = carveout_sizes_violation(carveouts, key + ".carveouts")) return broken;
  if (needs_constant_ways(cache.cache.replacement)) {
    return Violation{key + ".replacement", "is about certain ways, but carve-outs change their number"};
  }
  if (cache.cache.index.kind == Index::Kind::dealt) {
    return Violation{key + ".index.kind", "distributes lines over ways, but carve-outs change their number"};
  }
  for (std::size_t i = 0; i < carveouts.shared_memory.size(); ++i) {
    const std::int64_t size = carveouts.shared_memory[i];
    const std::int64_t usable = carveouts.sram - size - carveouts.reserved[i];
    const std::int64_t least = carveouts.ways == 0 ? carveouts.sets : 1;
    if (usable < least * cache.cache.line_size) {
      return Violation{key + ".carveouts.shared_memory", "leaves " + text(usable) + " B beside " + text(size) +
                                                             " B, less than one line in each of " +
                                                             text(carveouts.sets) + " sets"};
    }
  }
  return index_violation(cache.cache, static_cast<std::size_t>(carveouts.sets), key);
}

Broken instance_violation(const PrivateCache& cache, std::int64_t sm_count, const std::string& key) {
  if (cache.per_sm > 1 && !cache.shared_by.empty()) {
    return Violation{key + ".shared_by", "is given beside several instances per SM"};
  }
  return sm_groups_violation(cache.shared_by, sm_count, key + ".shared_by");
}

Broken single_violation(const PrivateCache& cache, std::int64_t sm_count, const std::string& key) {
  if (auto broken = instance_violation(cache, sm_count, key)) return broken;
  return cache.carveouts ? carveouts_violation(cache, key) : cache_violation(cache.cache, key);
}

const PrivateCache* find(const std::vector<PrivateCache>& caches, const std::string& name) {
  const auto found = std::ranges::find(caches, name, &PrivateCache::name);
  return found == caches.end() ? nullptr : &*found;
}

/// Chains of caches must end at the L2, and one fetch must fit in a line of the next cache.
Broken next_violation(const std::vector<PrivateCache>& caches, const PrivateCache& cache, const std::string& key) {
  std::size_t steps = 0;
  for (const PrivateCache* at = &cache; !at->next.empty(); ++steps) {
    at = find(caches, at->next);
    if (at == nullptr) return Violation{key + ".next", "names no cache; without it misses go to the L2"};
    if (steps == caches.size()) return Violation{key + ".next", "leads in a circle, misses never reach the L2"};
  }
  const PrivateCache* next = find(caches, cache.next);
  if (next != nullptr && cache.cache.fetch_granularity > next->cache.line_size) {
    return Violation{key + ".fetch_granularity", "is " + text(cache.cache.fetch_granularity) +
                                                     ", more than the line of " + text(next->cache.line_size) +
                                                     " B that " + next->name + " has"};
  }
  return std::nullopt;
}

Broken path_violation(const std::vector<PrivateCache>& caches, std::size_t i, const std::string& key) {
  const PrivateCache& cache = caches[i];
  const auto leads_here = [&](const PrivateCache& other) { return other.next == cache.name; };
  if (cache.paths.empty() && std::ranges::none_of(caches, leads_here)) {
    return Violation{key + ".paths", "is empty and no cache's misses come here, so nothing uses it"};
  }
  for (const chase::Path path : cache.paths) {
    if (path == chase::Path::shared) return Violation{key + ".paths", "names shared memory, which no cache serves"};
    for (std::size_t other = 0; other < i; ++other) {
      if (std::ranges::find(caches[other].paths, path) == caches[other].paths.end()) continue;
      return Violation{key + ".paths",
                       "names " + name_of(path) + ", which looks into " + caches[other].name + " first"};
    }
  }
  return std::nullopt;
}

Broken one_carveout_violation(const std::vector<PrivateCache>& caches, std::size_t i, const std::string& key) {
  const auto has_carveouts = [](const PrivateCache& cache) { return cache.carveouts.has_value(); };
  if (!has_carveouts(caches[i])) return std::nullopt;
  if (std::any_of(caches.begin(), caches.begin() + static_cast<std::ptrdiff_t>(i), has_carveouts)) {
    return Violation{key + ".carveouts", "are those of a second cache, shared memory lies beside one"};
  }
  return std::nullopt;
}

Carveouts read_carveouts(const Section& cache, const Section& section) {
  for (const char* key : {"size", "set_ways"}) {
    if (cache.has(key)) cache.refuse(key, "is given beside carveouts, which decide it");
  }
  Carveouts carveouts;
  if (!cache.has("sets")) cache.refuse("sets", "is missing; carve-outs decide only how many ways each set has");
  carveouts.sets = cache.integer("sets");
  carveouts.ways = cache.integer("ways", 0);
  if (carveouts.ways > maximum_lines / carveouts.sets) cache.refuse("ways", "gives too many lines");
  carveouts.sram = section.integer("sram");
  carveouts.shared_memory = section.integers("shared_memory");
  if (section.is_array("reserved")) {
    carveouts.reserved = section.integers("reserved");
  } else {
    carveouts.reserved.assign(carveouts.shared_memory.size(), section.integer("reserved", 0));
  }
  carveouts.default_size = section.integer("default", carveouts.shared_memory.front());
  return carveouts;
}

PrivateCache read_private_cache(const Section& section, std::int64_t sm_count) {
  PrivateCache cache;
  cache.latency = section.integer("latency");
  if (section.has("paths")) cache.paths = read_paths(section, "paths");
  cache.virtually_tagged = section.boolean("virtually_tagged", true);
  if (section.has("next")) cache.next = section.text("next");
  cache.per_sm = section.integer("per_sm", 1);
  cache.warp_block = section.integer("warp_block", 1);
  cache.shared_by = read_shared_by(section, sm_count);
  read_line(section, cache.cache);
  if (auto carveouts = section.optional_section("carveouts")) {
    cache.carveouts = read_carveouts(section, *carveouts);
  } else {
    cache.cache.set_ways = read_set_ways(section, cache.cache.line_size);
  }
  cache.cache.index = read_index(section, cache.cache.line_size, cache.sets());
  cache.cache.replacement = read_replacement(section);
  return cache;
}

}  // namespace

std::size_t PrivateCache::sets() const {
  return carveouts ? static_cast<std::size_t>(carveouts->sets) : cache.set_ways.size();
}

std::int64_t PrivateCache::lines_beside(std::int64_t shared_memory) const {
  if (!carveouts) return cache.lines();
  const auto& sizes = carveouts->shared_memory;
  const auto selected = static_cast<std::size_t>(std::ranges::find(sizes, shared_memory) - sizes.begin());
  return (carveouts->sram - shared_memory - carveouts->reserved.at(selected)) / cache.line_size;
}

std::vector<std::int64_t> PrivateCache::ways_beside(std::int64_t shared_memory) const {
  if (!carveouts) return cache.set_ways;
  const auto sets = static_cast<std::size_t>(carveouts->sets);
  const std::int64_t lines = carveouts->ways != 0 ? carveouts->ways * carveouts->sets : lines_beside(shared_memory);
  std::vector<std::int64_t> ways(sets, lines / carveouts->sets);
  std::for_each_n(ways.begin(), lines % carveouts->sets, [](std::int64_t& count) { ++count; });
  return ways;
}

Broken violation(const std::vector<PrivateCache>& caches, std::int64_t sm_count) {
  for (std::size_t i = 0; i < caches.size(); ++i) {
    const std::string key = "cache." + caches[i].name;
    if (caches[i].name == "l2") return Violation{key, "is the name of the cache that all SMs share"};
    if (auto broken = single_violation(caches[i], sm_count, key)) return broken;
    if (auto broken = path_violation(caches, i, key)) return broken;
    if (auto broken = one_carveout_violation(caches, i, key)) return broken;
    if (auto broken = next_violation(caches, caches[i], key)) return broken;
  }
  return std::nullopt;
}

std::vector<PrivateCache> read_private_caches(const Section& description, std::int64_t sm_count) {
  std::vector<PrivateCache> caches;
  std::size_t sets = 0;
  for (const auto& [name, section] : description.named_sections("cache")) {
    caches.push_back(read_private_cache(section, sm_count));
    caches.back().name = name;
    sets += caches.back().cache.set_ways.size();
    if (sets > maximum_lines) section.refuse("sets", "gives more than 2^24 sets together with other caches");
  }
  return caches;
}

}  // namespace tomograph::sim
