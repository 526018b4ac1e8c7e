#include "truth_parts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <map>

#include "parts.hpp"

namespace independent {

namespace {

constexpr unsigned page_bits = 21;

double share_of_other_homes(const L2Description& l2) { return 1.0 - 1.0 / l2.partitions; }

/// The words that are true of a policy. Policies of one way are all the same, and with two ways most are LRU.
Json words_of(Policy policy, int ways) {
  switch (policy) {
    case Policy::lru: return ways == 2 ? Json{"lru", "tree-plru"} : Json{"lru"};
    case Policy::fifo: return {"fifo", "not-lru"};
    case Policy::random: return {"random", "not-lru"};
    case Policy::way_weighted: return {"way-weighted", "not-lru"};
    case Policy::tree_plru: return ways == 2 ? Json{"lru", "tree-plru"} : Json{"tree-plru", "not-lru"};
    case Policy::segmented_lru: return {"segmented-lru", "not-lru"};
    // Of two ways, the hand of NRU stands at the older one whenever both were used, as under FIFO.
    case Policy::nru: return ways == 2 ? Json{"fifo", "not-lru", "nru"} : Json{"not-lru", "other", "nru"};
    case Policy::bit_plru:
      return ways == 2 ? Json{"lru", "tree-plru", "bit-plru"} : Json{"not-lru", "other", "bit-plru", "nru"};
    case Policy::srrip: return {"not-lru", "other", "srrip"};
    case Policy::clock: return {"not-lru", "other", "clock"};
    case Policy::lip: return {"not-lru", "other", "lip"};
    case Policy::bip: return {"not-lru", "other", "bip"};
    case Policy::not_last: return ways == 2 ? Json{"lru", "tree-plru"} : Json{"not-lru", "other", "random"};
  }
  return {};
}

std::uint64_t low_bits(unsigned bits) { return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }

/// Whether each bit of the set's number is a parity. A remainder by a power of two is.
bool is_linear(const CacheDescription& cache) {
  return cache.index.kind == SetIndex::Kind::linear ||
         (cache.index.kind == SetIndex::Kind::modulus && std::has_single_bit(cache.index.sets));
}

Json index_of(const CacheDescription& cache, unsigned known_bits) {
  const bool by_remainder = cache.index.kind == SetIndex::Kind::modulus;
  const SetIndex index =
      by_remainder && is_linear(cache) ? contiguous_index(log2_of(cache.line), log2_of(cache.index.sets)) : cache.index;
  if (index.kind == SetIndex::Kind::modulus) return {{"kind", "modulus"}, {"modulus", index.sets}};
  Json masks = Json::array();
  for (const std::uint64_t mask : index.masks) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(mask & low_bits(known_bits)));
    masks.push_back(text);
  }
  return {{"kind", "hashed"}, {"masks", masks}};
}

/// Whether every set gets as many of the lines of consecutive memory as it has ways.
bool fills_evenly(const CacheDescription& cache) { return is_linear(cache) && cache.equal_sets(); }

void add_policy(std::vector<Expected>& facts, const std::string& prefix, const CacheDescription& cache,
                bool observable) {
  const int ways = *std::max_element(cache.set_ways.begin(), cache.set_ways.end());
  if (ways > 1) {
    facts.push_back({.key = prefix + ".replacement",
                     .match = Match::any_of,
                     .value = words_of(cache.policy, ways),
                     .observable = observable});
  }
  if (cache.policy == Policy::way_weighted) {
    facts.push_back({.key = prefix + ".way_probability",
                     .match = Match::sorted,
                     .value = cache.way_weights,
                     .absolute = 0.03,
                     .observable = observable});
  } else if (cache.policy != Policy::random && cache.policy != Policy::not_last) {
    facts.push_back({.key = prefix + ".way_probability", .match = Match::absent, .observable = false});
  }
}

}  // namespace

Expected cycles(const std::string& key, double value) {
  return {.key = key, .match = Match::close, .value = value, .relative = 0.02, .absolute = 1.5};
}

Expected memory_cycles(const std::string& key, double value) {
  return {.key = key, .match = Match::close, .value = value, .relative = 0.04, .absolute = 3};
}

double mean_l2_hit_of(const Gpu& gpu, std::size_t sm) {
  double sum = 0;
  for (const float cycles : gpu.l2.latency[sm]) sum += static_cast<double>(cycles);
  const double near = sum / static_cast<double>(gpu.l2.latency[sm].size());
  return gpu.l2.replicated ? near : near + share_of_other_homes(gpu.l2) * gpu.l2.far_extra;
}

double mean_l2_hit(const Gpu& gpu) {
  double sum = 0;
  for (std::size_t sm = 0; sm < static_cast<std::size_t>(gpu.sms); ++sm) sum += mean_l2_hit_of(gpu, sm);
  return sum / static_cast<double>(gpu.sms);
}

double mean_near_hit(const Gpu& gpu) {
  return mean_l2_hit(gpu) - (gpu.l2.replicated ? 0 : share_of_other_homes(gpu.l2) * gpu.l2.far_extra);
}

double spread_of_sms(const Gpu& gpu) {
  double spread = 0;
  for (std::size_t sm = 0; sm < static_cast<std::size_t>(gpu.sms); ++sm) {
    spread = std::max(spread, std::abs(mean_l2_hit_of(gpu, sm) - mean_l2_hit(gpu)));
  }
  return spread;
}

double mean_constant_in_l2(const Gpu& gpu) { return mean_near_hit(gpu) + gpu.l2.far_extra / 2; }

double mean_memory_extra(const Gpu& gpu) {
  const MemoryDescription& memory = gpu.memory;
  const double row_share = memory.open_rows ? 1 : memory.row_share;
  return memory.extra + row_share * memory.row_extra + memory.refresh_share * memory.refresh_extra;
}

double mean_memory(const Gpu& gpu) {
  return mean_near_hit(gpu) + mean_memory_extra(gpu) +
         share_of_other_homes(gpu.l2) * (gpu.l2.far_extra + gpu.memory.far_extra);
}

CacheDescription cache_of_one_sm(const L2Description& l2) {
  CacheDescription cache = l2.cache;
  if (l2.partitions == 1 || l2.replicated) return cache;
  cache.index.masks.insert(cache.index.masks.end(), l2.partition_masks.begin(), l2.partition_masks.end());
  cache.index.sets *= l2.partitions;
  cache.set_ways.clear();
  for (std::uint32_t partition = 0; partition < l2.partitions; ++partition) {
    cache.set_ways.insert(cache.set_ways.end(), l2.cache.set_ways.begin(), l2.cache.set_ways.end());
  }
  if (l2.partition_masks.empty()) cache.index.kind = SetIndex::Kind::scrambled;
  return cache;
}

Organisation organisation_of(const Gpu& gpu, const FirstLevel& first) {
  if (first.virtually_tagged) return {};
  const unsigned known_bits = std::min(page_bits, log2_of(gpu.translation.page));
  return {.observable = first.cache.size() < gpu.translation.page, .known_bits = known_bits};
}

Organisation organisation_of_l2(const Gpu& gpu) {
  const unsigned known_bits = std::min(page_bits, log2_of(gpu.translation.page));
  return {.observable = cache_of_one_sm(gpu.l2).size() <= gpu.translation.page / 2, .known_bits = known_bits};
}

/// Loads cannot tell how many sectors a miss brings, unless it brings no more than the smallest of every known cache.
bool shows_sector(const std::string& prefix, const CacheDescription& cache, std::int64_t unit) {
  constexpr std::int64_t smallest = 32;
  if (cache.fetch != cache.sector || (unit != 0 && cache.fetch != unit)) return false;
  return cache.fetch == smallest || prefix.starts_with("constant");
}

void add_cache(std::vector<Expected>& facts, const std::string& prefix, const CacheDescription& cache,
               const Organisation& organisation) {
  const bool prefetches = cache.prefetched_lines > 0;
  const bool shown = organisation.observable && !prefetches;
  const auto add = [&](const char* name, Match match, Json value, bool observable) {
    facts.push_back({.key = prefix + "." + name, .match = match, .value = std::move(value), .observable = observable});
  };
  if (!prefetches) {
    add("fetch_granularity", Match::equal, cache.fetch, true);
    add("sector_size", Match::equal, cache.sector, shows_sector(prefix, cache, organisation.unit));
  }
  add("line_size", Match::equal, cache.line, !prefetches);
  add("size", Match::equal, cache.size(), fills_evenly(cache) && !prefetches);
  const bool linear = is_linear(cache);
  add("sets", Match::equal, cache.index.sets, shown && linear);
  add("index", Match::index, index_of(cache, organisation.known_bits), shown && linear);
  if (cache.index.kind == SetIndex::Kind::scrambled)
    facts.back() = {.key = prefix + ".index", .match = Match::absent, .observable = false};
  if (cache.equal_sets()) {
    add("ways", Match::equal, cache.set_ways.front(), shown && linear);
  } else {
    facts.push_back({.key = prefix + ".ways", .match = Match::absent, .observable = false});
  }
  add("set_ways", Match::sorted, cache.set_ways, shown && linear);
  if (organisation.policy_is_asked) add_policy(facts, prefix, cache, shown);
}

void add_groups(std::vector<Expected>& facts, const std::string& prefix, const Groups& of_sm) {
  std::vector<std::vector<std::int64_t>> groups(group_count(of_sm));
  for (std::size_t sm = 0; sm < of_sm.size(); ++sm) groups[of_sm[sm]].push_back(static_cast<std::int64_t>(sm));
  facts.push_back({.key = prefix + ".sm_groups", .match = Match::groups, .value = groups});
  const std::size_t size = groups.front().size();
  const bool equal = std::all_of(groups.begin(), groups.end(), [&](const auto& group) { return group.size() == size; });
  facts.push_back({.key = prefix + ".sms_per_instance", .value = size, .observable = equal});
  if (!equal) facts.back() = {.key = prefix + ".sms_per_instance", .match = Match::absent, .observable = false};
}

void add_tlb(std::vector<Expected>& facts, const std::string& prefix, const Translation& translation,
             std::size_t level) {
  const TlbDescription& tlb = translation.tlbs[level];
  const CacheDescription& entries = tlb.entries;
  facts.push_back({.key = prefix + ".entries", .value = entries.lines()});
  facts.push_back({.key = prefix + ".entry_span", .value = entries.line});
  facts.push_back({.key = prefix + ".page_size", .value = entries.fetch});
  facts.push_back({.key = prefix + ".reach", .value = entries.size()});
  facts.push_back({.key = prefix + ".set_ways", .match = Match::sorted, .value = entries.set_ways});
  add_policy(facts, prefix, entries, true);
  std::erase_if(facts, [&](const Expected& fact) { return fact.key == prefix + ".way_probability"; });
  facts.push_back(cycles(prefix + ".miss_penalty", tlb.penalty));
  const bool last = level + 1 == translation.tlbs.size();
  if (last && translation.walk_cache) facts.back().absolute += translation.walk_cache_penalty;
  add_groups(facts, prefix, tlb.instance_of_sm);
}

Json numbered_by_lowest_sm(const Groups& of_sm) {
  std::map<std::uint32_t, std::size_t> numbers;
  Json numbered = Json::array();
  for (const std::uint32_t partition : of_sm)
    numbered.push_back(numbers.try_emplace(partition, numbers.size()).first->second);
  return numbered;
}

}  // namespace independent
