#include "sim/gpu/cache.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

#include "sim/gpu/section.hpp"

namespace tomograph::sim {

namespace {

constexpr std::int64_t maximum_sectors = 32;

Broken ways_violation(const std::vector<std::int64_t>& set_ways, const std::string& key) {
  if (set_ways.empty() || std::ranges::min(set_ways) < 1) {
    return Violation{key + ".set_ways", "must name at least one way for at least one set"};
  }
  const std::int64_t lines = std::accumulate(set_ways.begin(), set_ways.end(), std::int64_t{0});
  if (lines <= maximum_lines) return std::nullopt;
  return Violation{key + ".set_ways", "adds up to more than 2^24 lines"};
}

Broken count_violation(const std::string& key, const char* what, std::size_t bits, std::size_t sets) {
  if (bits < 31 && std::size_t{1} << bits == sets) return std::nullopt;
  return Violation{key, "has " + std::to_string(bits) + " " + what + ", which select 2^" + std::to_string(bits) +
                            " sets, but there are " + std::to_string(sets)};
}

Broken bits_violation(const Cache& cache, std::size_t sets, const std::string& key) {
  const int line_bits = std::countr_zero(static_cast<std::uint64_t>(cache.line_size));
  std::vector<int> sorted = cache.index.bits;
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end()) return Violation{key, "names bit " + text(*twice) + " twice"};
  for (const int bit : sorted) {
    if (bit < line_bits) {
      return Violation{key,
                       "names bit " + text(bit) + ", which lies inside the line of " + text(cache.line_size) + " B"};
    }
  }
  return count_violation(key, "bits", sorted.size(), sets);
}

Broken masks_violation(const Cache& cache, std::size_t sets, const std::string& key) {
  const auto& masks = cache.index.masks;
  if (auto broken = mask_range_violation(masks, cache.line_size, key)) return broken;
  if (rank(masks) < masks.size()) {
    return Violation{key, "has masks of which one is the exclusive-or of others, so some sets could never be used"};
  }
  return count_violation(key, "masks", masks.size(), sets);
}

Broken protected_violation(const Cache& cache, const std::string& key) {
  for (const std::int64_t ways : cache.set_ways) {
    if (cache.replacement.protected_ways < ways) continue;
    return Violation{key + ".replacement.protected_ways", "is " + text(cache.replacement.protected_ways) +
                                                              ", but a set has " + text(ways) +
                                                              " ways and needs one that is not protected"};
  }
  return std::nullopt;
}

Broken recent_violation(const Cache& cache, const std::string& key) {
  for (const std::int64_t ways : cache.set_ways) {
    if (cache.replacement.recent_ways < ways) continue;
    return Violation{key + ".replacement.recent_ways", "is " + text(cache.replacement.recent_ways) +
                                                           ", but a set has " + text(ways) +
                                                           " ways and needs one that may be the victim"};
  }
  return std::nullopt;
}

Broken tree_violation(const Cache& cache, const std::string& key) {
  for (const std::int64_t ways : cache.set_ways) {
    if (is_power_of_two(ways) && ways <= maximum_tree_ways) continue;
    return Violation{key + ".replacement", "is \"tree-plru\", but a set has " + text(ways) +
                                               " ways, a tree needs a power of two up to " + text(maximum_tree_ways)};
  }
  return std::nullopt;
}

Broken way_order_violation(const Cache& cache, const std::string& key) {
  const std::string where = key + ".replacement.way_order";
  const auto& order = cache.replacement.way_order;
  const std::int64_t fewest = std::ranges::min(cache.set_ways);
  for (const std::int64_t way : order) {
    if (way >= fewest) {
      return Violation{where, "names way " + text(way + 1) + ", but a set has ways 1 to " + text(fewest)};
    }
  }
  return std::nullopt;
}

Broken way_probability_violation(const Cache& cache, const std::string& key) {
  const std::string where = key + ".replacement.way_probability";
  const auto& probability = cache.replacement.way_probability;
  const double sum = std::accumulate(probability.begin(), probability.end(), 0.0);
  if (std::abs(sum - 1) > 1e-3) return Violation{where, "adds up to " + std::to_string(sum) + ", must add up to 1"};
  for (const std::int64_t ways : cache.set_ways) {
    if (static_cast<std::size_t>(ways) != probability.size()) {
      return Violation{
          where, "has " + std::to_string(probability.size()) + " probabilities, but a set has " + text(ways) + " ways"};
    }
  }
  return std::nullopt;
}

Broken replacement_violation(const Cache& cache, const std::string& key) {
  using Policy = Replacement::Policy;
  switch (cache.replacement.policy) {
    case Policy::segmented_lru: return protected_violation(cache, key);
    case Policy::tree_plru: return tree_violation(cache, key);
    case Policy::not_recently_used: return recent_violation(cache, key);
    case Policy::way_order: return way_order_violation(cache, key);
    case Policy::way_weighted: return way_probability_violation(cache, key);
    case Policy::lru:
    case Policy::fifo:
    case Policy::random: break;
  }
  return std::nullopt;
}

Index default_index(std::int64_t line_size, std::size_t sets) {
  if (!std::has_single_bit(sets)) return {Index::Kind::modulo, {}, {}};
  Index index{Index::Kind::bits, {}, {}};
  const int first = std::countr_zero(static_cast<std::uint64_t>(line_size));
  for (int i = 0; i < std::countr_zero(sets); ++i) index.bits.push_back(first + i);
  return index;
}

/// The ways of equal sets from two of sets, ways and size. One way of one set takes `unit` bytes.
std::vector<std::int64_t> equal_sets(const Section& section, std::int64_t unit) {
  const auto optional = [&](const char* key) { return section.integer(key, 0); };
  std::int64_t sets = optional("sets");
  std::int64_t ways = optional("ways");
  const std::int64_t size = optional("size");
  const std::int64_t known = std::max<std::int64_t>(sets, 1) * std::max<std::int64_t>(ways, 1);
  if (std::ranges::count(std::array{sets, ways, size}, 0) > 1) {
    section.refuse(sets != 0 ? "sets" : "ways",
                   "does not fix the geometry: give two of size, sets and ways, or set_ways");
  }
  if (size != 0 && (sets == 0 || ways == 0)) {
    if (size % (known * unit) != 0) {
      section.refuse("size", "is " + std::to_string(size) + ", no multiple of " + std::to_string(known * unit) +
                                 " B, the " + std::to_string(known) + (sets == 0 ? " ways" : " sets") +
                                 " of one line each");
    }
    (sets == 0 ? sets : ways) = size / (known * unit);
  }
  if (sets * ways > maximum_lines) section.refuse("size", "gives more than 2^24 lines");
  if (size != 0 && sets * ways * unit != size) {
    section.refuse("size", "is " + std::to_string(size) + ", but sets, ways and lines make " +
                               std::to_string(sets * ways * unit) + " B");
  }
  std::vector<std::int64_t> set_ways(static_cast<std::size_t>(sets));
  std::ranges::fill(set_ways, ways);
  return set_ways;
}

/// Ways count from 1 in a description.
std::vector<std::int64_t> read_way_order(const Section& section) {
  std::vector<std::int64_t> order = section.integers("way_order");
  for (std::int64_t& way : order) {
    if (way < 1) section.refuse("way_order", "names way " + text(way) + ", ways count from 1");
    --way;
  }
  return order;
}

}  // namespace

std::int64_t Cache::lines() const { return std::accumulate(set_ways.begin(), set_ways.end(), std::int64_t{0}); }

std::size_t rank(std::vector<std::uint64_t> masks) {
  std::size_t found = 0;
  for (int bit = 0; bit < 64; ++bit) {
    const auto first = masks.begin() + static_cast<std::ptrdiff_t>(found);
    const auto pivot = std::find_if(first, masks.end(), [&](std::uint64_t mask) { return (mask >> bit & 1) != 0; });
    if (pivot == masks.end()) continue;
    std::iter_swap(first, pivot);
    for (auto other = first + 1; other != masks.end(); ++other) {
      if ((*other >> bit & 1) != 0) *other ^= *first;
    }
    ++found;
  }
  return found;
}

std::vector<std::uint64_t> index_masks(const Index& index) {
  if (index.kind == Index::Kind::hashed) return index.masks;
  std::vector<std::uint64_t> masks;
  for (const int bit : index.bits) masks.push_back(std::uint64_t{1} << bit);
  return masks;
}

Broken mask_range_violation(const std::vector<std::uint64_t>& masks, std::int64_t line_size, const std::string& key) {
  for (const std::uint64_t mask : masks) {
    if ((mask & (static_cast<std::uint64_t>(line_size) - 1)) != 0) {
      return Violation{key, "has a mask with bits inside the line of " + text(line_size) + " B"};
    }
  }
  return std::nullopt;
}

Broken index_violation(const Cache& cache, std::size_t sets, const std::string& key) {
  switch (cache.index.kind) {
    case Index::Kind::bits: return bits_violation(cache, sets, key + ".index.bits");
    case Index::Kind::hashed: return masks_violation(cache, sets, key + ".index.masks");
    case Index::Kind::modulo:
    case Index::Kind::dealt: return std::nullopt;
  }
  return std::nullopt;
}

Broken line_violation(const Cache& cache) {
  const std::int64_t line = cache.line_size;
  const std::int64_t sector = cache.sector_size;
  const std::int64_t fetch = cache.fetch_granularity;
  if (auto broken = power_of_two("line_size", line)) return broken;
  if (sector > line) {
    return Violation{"sector_size", "is " + text(sector) + ", larger than the line of " + text(line) + " B"};
  }
  if (line % sector != 0) {
    return Violation{"sector_size", "is " + text(sector) + ", does not divide the line of " + text(line) + " B"};
  }
  if (line / sector > maximum_sectors) {
    return Violation{"sector_size", "gives " + text(line / sector) + " sectors per line, at most " +
                                        text(maximum_sectors) + " are simulated"};
  }
  if (fetch < sector || fetch > line) {
    return Violation{"fetch_granularity", "is " + text(fetch) + ", must lie between the sector of " + text(sector) +
                                              " B and the line of " + text(line) + " B"};
  }
  if (line % fetch != 0 || fetch % sector != 0) {
    return Violation{"fetch_granularity", "is " + text(fetch) + ", must be a number of sectors that divides the line"};
  }
  return std::nullopt;
}

Broken organisation_violation(const Cache& cache, const std::string& key) {
  if (auto broken = ways_violation(cache.set_ways, key)) return broken;
  if (auto broken = index_violation(cache, cache.set_ways.size(), key)) return broken;
  return replacement_violation(cache, key);
}

Broken cache_violation(const Cache& cache, const std::string& key) {
  if (auto broken = within(key, line_violation(cache))) return broken;
  return organisation_violation(cache, key);
}

void read_line(const Section& section, Cache& cache) {
  cache.line_size = section.integer("line_size");
  cache.sector_size = section.integer("sector_size", cache.line_size);
  cache.fetch_granularity = section.integer("fetch_granularity", cache.sector_size);
  if (const auto broken = line_violation(cache)) section.refuse(broken->key.c_str(), broken->rule);
}

std::vector<std::int64_t> read_set_ways(const Section& section, std::int64_t unit) {
  if (!section.has("set_ways")) return equal_sets(section, unit);
  for (const char* key : {"sets", "ways"}) {
    if (section.has(key)) section.refuse(key, "is given beside set_ways, which already says it");
  }
  auto set_ways = section.integers("set_ways");
  const std::int64_t lines = std::accumulate(set_ways.begin(), set_ways.end(), std::int64_t{0});
  if (section.has("size") && section.integer("size") != lines * unit) {
    section.refuse("size", "is " + std::to_string(section.integer("size")) + ", but set_ways and lines make " +
                               std::to_string(lines * unit) + " B");
  }
  return set_ways;
}

std::vector<std::uint64_t> read_masks(const Section& section, const char* key) {
  std::vector<std::uint64_t> masks;
  for (const std::int64_t mask : section.integers(key)) masks.push_back(static_cast<std::uint64_t>(mask));
  return masks;
}

void expect_for_kind(const Section& index, const char* key, bool expected) {
  if (index.has(key) == expected) return;
  index.refuse(
      key, std::string(expected ? "is missing for" : "does not belong to") + " kind \"" + index.text("kind") + "\"");
}

Index read_index(const Section& cache, std::int64_t line_size, std::size_t sets) {
  auto section = cache.optional_section("index");
  if (!section) return default_index(line_size, sets);
  if (section->text("kind") == "quotient") section->refuse("kind", "is \"quotient\", which only the L2 can have");
  Index index;
  index.kind = meaning<Index::Kind>(section->text("kind"), {{"bits", Index::Kind::bits},
                                                            {"hashed", Index::Kind::hashed},
                                                            {"modulo", Index::Kind::modulo},
                                                            {"dealt", Index::Kind::dealt}});
  expect_for_kind(*section, "bits", index.kind == Index::Kind::bits);
  expect_for_kind(*section, "masks", index.kind == Index::Kind::hashed);
  for (const char* key : quotient_keys) expect_for_kind(*section, key, false);
  if (index.kind == Index::Kind::hashed) index.masks = read_masks(*section, "masks");
  if (index.kind == Index::Kind::bits) {
    for (const std::int64_t bit : section->integers("bits")) index.bits.push_back(static_cast<int>(bit));
  }
  return index;
}

Replacement read_replacement(const Section& cache) {
  using Policy = Replacement::Policy;
  if (cache.has("replacement") && !cache.is_text("replacement")) {
    const Section section = cache.section("replacement");
    if (section.has("protected_ways"))
      return {.policy = Policy::segmented_lru, .protected_ways = section.integer("protected_ways")};
    if (section.has("recent_ways"))
      return {.policy = Policy::not_recently_used, .recent_ways = section.integer("recent_ways")};
    if (section.has("way_order")) return {.policy = Policy::way_order, .way_order = read_way_order(section)};
    return {.policy = Policy::way_weighted, .way_probability = section.numbers("way_probability")};
  }
  const std::string policy = cache.has("replacement") ? cache.text("replacement") : "lru";
  return {.policy = meaning<Policy>(policy, {{"lru", Policy::lru},
                                             {"fifo", Policy::fifo},
                                             {"random", Policy::random},
                                             {"tree-plru", Policy::tree_plru}})};
}

}  // namespace tomograph::sim
