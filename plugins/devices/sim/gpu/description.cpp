#include "sim/gpu/description.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace tomograph::sim {

namespace {

constexpr std::int64_t maximum_sectors = 32;
constexpr std::int64_t maximum_cycles = 1'000'000;
constexpr int address_bits = 48;

using Broken = std::optional<Violation>;

bool is_power_of_two(std::int64_t value) { return value > 0 && std::has_single_bit(static_cast<std::uint64_t>(value)); }

std::string text(std::int64_t value) { return std::to_string(value); }

Broken at_least(const std::string& key, std::int64_t value, std::int64_t minimum) {
  if (value >= minimum) return std::nullopt;
  return Violation{key, "is " + text(value) + ", must be at least " + text(minimum)};
}

Broken at_most(const std::string& key, std::int64_t value, std::int64_t maximum) {
  if (value <= maximum) return std::nullopt;
  return Violation{key, "is " + text(value) + ", must be at most " + text(maximum)};
}

Broken cycles(const std::string& key, std::int64_t value, std::int64_t minimum) {
  if (value <= maximum_cycles) return at_least(key, value, minimum);
  return Violation{key, "is " + text(value) + " cycles, must be at most " + text(maximum_cycles)};
}

Broken power_of_two(const std::string& key, std::int64_t value, std::int64_t minimum) {
  if (auto broken = at_least(key, value, minimum)) return broken;
  if (is_power_of_two(value)) return std::nullopt;
  return Violation{key, "is " + text(value) + ", must be a power of two"};
}

/// Rank of the masks as vectors over GF(2), by elimination.
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

/// The same rule, about a key of the table `key`.
Broken within(const std::string& key, Broken broken) {
  if (broken) broken->key = key + "." + broken->key;
  return broken;
}

Broken ways_violation(const std::vector<std::int64_t>& set_ways, const std::string& key) {
  if (set_ways.empty()) return Violation{key + ".set_ways", "is empty, must name the ways of at least one set"};
  if (set_ways.size() > maximum_lines) return Violation{key + ".set_ways", "names more than 2^24 sets"};
  if (std::ranges::any_of(set_ways, [](std::int64_t ways) { return ways < 1; })) {
    return Violation{key + ".set_ways", "holds a set without ways, each set needs at least 1"};
  }
  std::int64_t left = maximum_lines;
  for (const std::int64_t ways : set_ways) {
    if (ways > left) return Violation{key + ".set_ways", "adds up to more than 2^24 lines"};
    left -= ways;
  }
  return std::nullopt;
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
    if (bit >= address_bits) return Violation{key, "names bit " + text(bit) + ", addresses have 48 bits"};
  }
  return count_violation(key, "bits", sorted.size(), sets);
}

Broken mask_range_violation(const std::vector<std::uint64_t>& masks, std::int64_t line_size, const std::string& key) {
  for (const std::uint64_t mask : masks) {
    if ((mask & (static_cast<std::uint64_t>(line_size) - 1)) != 0) {
      return Violation{key, "has a mask with bits inside the line of " + text(line_size) + " B"};
    }
    if (mask >> address_bits != 0) return Violation{key, "has a mask with bits above the 48 of an address"};
  }
  return std::nullopt;
}

Broken masks_violation(const Cache& cache, std::size_t sets, const std::string& key) {
  const auto& masks = cache.index.masks;
  if (auto broken = mask_range_violation(masks, cache.line_size, key)) return broken;
  if (rank(masks) < masks.size()) {
    return Violation{key, "has masks of which one is the exclusive-or of others, so some sets could never be used"};
  }
  return count_violation(key, "masks", masks.size(), sets);
}

Broken index_violation(const Cache& cache, std::size_t sets, const std::string& key) {
  switch (cache.index.kind) {
    case Index::Kind::bits: return bits_violation(cache, sets, key + ".index.bits");
    case Index::Kind::hashed: return masks_violation(cache, sets, key + ".index.masks");
    case Index::Kind::modulo: return std::nullopt;
  }
  return std::nullopt;
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

Broken replacement_violation(const Cache& cache, const std::string& key) {
  if (cache.replacement.policy == Replacement::Policy::segmented_lru) return protected_violation(cache, key);
  if (cache.replacement.policy != Replacement::Policy::way_weighted) return std::nullopt;
  const std::string where = key + ".replacement.way_probability";
  const auto& probability = cache.replacement.way_probability;
  for (const double p : probability) {
    if (!(p >= 0 && p <= 1)) return Violation{where, "holds a number outside [0, 1]"};
  }
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

Broken cache_violation(const Cache& cache, const std::string& key) {
  if (auto broken = line_violation(cache)) return within(key, broken);
  if (auto broken = ways_violation(cache.set_ways, key)) return broken;
  if (auto broken = index_violation(cache, cache.set_ways.size(), key)) return broken;
  return replacement_violation(cache, key);
}

Broken carveout_sizes_violation(const Carveouts& carveouts) {
  const auto& sizes = carveouts.shared_memory;
  const std::string key = "l1.carveouts.shared_memory";
  if (sizes.empty()) return Violation{key, "is empty, must name at least one size"};
  if (sizes.front() < 0) return Violation{key, "holds a negative size"};
  if (std::ranges::adjacent_find(sizes, std::greater_equal()) != sizes.end()) {
    return Violation{key, "must be in ascending order without repetition"};
  }
  if (std::ranges::find(sizes, carveouts.default_size) == sizes.end()) {
    return Violation{"l1.carveouts.default", "is " + text(carveouts.default_size) + ", not one of shared_memory"};
  }
  if (carveouts.reserved.size() != sizes.size()) {
    return Violation{"l1.carveouts.reserved", "has " + std::to_string(carveouts.reserved.size()) +
                                                  " entries, shared_memory has " + std::to_string(sizes.size())};
  }
  if (auto broken = at_most(key, sizes.back(), carveouts.sram)) return broken;
  for (const std::int64_t bytes : carveouts.reserved) {
    if (auto broken = at_least("l1.carveouts.reserved", bytes, 0)) return broken;
    if (auto broken = at_most("l1.carveouts.reserved", bytes, carveouts.sram)) return broken;
  }
  return std::nullopt;
}

Broken carveouts_violation(const L1& l1) {
  const Carveouts& carveouts = *l1.carveouts;
  if (auto broken = line_violation(l1.cache)) return within("l1", broken);
  if (auto broken = at_least("l1.sets", carveouts.sets, 1)) return broken;
  if (auto broken = at_most("l1.carveouts.sram", carveouts.sram, maximum_lines * l1.cache.line_size)) return broken;
  if (auto broken = at_most("l1.sets", carveouts.sets, maximum_lines)) return broken;
  if (auto broken = carveout_sizes_violation(carveouts)) return broken;
  if (l1.cache.replacement.policy == Replacement::Policy::way_weighted) {
    return Violation{"l1.replacement", "gives way probabilities, but carve-outs change the number of ways"};
  }
  for (std::size_t i = 0; i < carveouts.shared_memory.size(); ++i) {
    const std::int64_t size = carveouts.shared_memory[i];
    const std::int64_t usable = carveouts.sram - size - carveouts.reserved[i];
    const std::int64_t least = carveouts.ways == 0 ? carveouts.sets : 1;
    if (usable < least * l1.cache.line_size) {
      return Violation{"l1.carveouts.shared_memory", "leaves " + text(usable) + " B beside " + text(size) +
                                                         " B, less than one line in each of " + text(carveouts.sets) +
                                                         " sets"};
    }
  }
  return index_violation(l1.cache, static_cast<std::size_t>(carveouts.sets), "l1");
}

Broken l1_violation(const Gpu& gpu) {
  if (!gpu.l1) return std::nullopt;
  const L1& l1 = *gpu.l1;
  if (auto broken = cycles("l1.latency", l1.latency, 1)) return broken;
  if (!l1.carveouts) return cache_violation(l1.cache, "l1");
  if (auto broken = carveouts_violation(l1)) return broken;
  if (gpu.instrument.kernel_shared > l1.carveouts->shared_memory.back()) {
    return Violation{"instrument.kernel_shared", "is larger than every carve-out"};
  }
  return std::nullopt;
}

std::vector<std::uint64_t> index_masks(const Index& index) {
  if (index.kind == Index::Kind::hashed) return index.masks;
  std::vector<std::uint64_t> masks;
  for (const int bit : index.bits) masks.push_back(std::uint64_t{1} << bit);
  return masks;
}

Broken home_violation(const L2& l2) {
  const std::string key = "l2.home_masks";
  if (auto broken = mask_range_violation(l2.home_masks, l2.cache.line_size, key)) return broken;
  if (std::int64_t{1} << l2.home_masks.size() != l2.partitions) {
    return Violation{key, "has " + std::to_string(l2.home_masks.size()) + " masks, which does not fit " +
                              text(l2.partitions) + " partitions"};
  }
  std::vector<std::uint64_t> all = index_masks(l2.cache.index);
  all.insert(all.end(), l2.home_masks.begin(), l2.home_masks.end());
  if (rank(all) < all.size()) {
    return Violation{key, "depends on the set index, so some sets of a partition could never be home to a line"};
  }
  return std::nullopt;
}

Broken partition_violation(const Gpu& gpu) {
  const L2& l2 = gpu.l2;
  if (auto broken = power_of_two("l2.partitions", l2.partitions, 1)) return broken;
  if (auto broken = at_most("l2.partitions", l2.partitions, maximum_partitions)) return broken;
  if (auto broken = home_violation(l2)) return broken;
  if (l2.sm_partition.empty()) return std::nullopt;
  if (l2.sm_partition.size() != static_cast<std::size_t>(gpu.sm_count)) {
    return Violation{"l2.sm_partition", "has " + std::to_string(l2.sm_partition.size()) + " entries, but there are " +
                                            text(gpu.sm_count) + " SMs"};
  }
  for (const std::int64_t partition : l2.sm_partition) {
    if (partition < 0 || partition >= l2.partitions) {
      return Violation{"l2.sm_partition", "names partition " + text(partition) + ", there are " + text(l2.partitions)};
    }
  }
  return std::nullopt;
}

Broken l2_violation(const Gpu& gpu) {
  const L2& l2 = gpu.l2;
  if (auto broken = cache_violation(l2.cache, "l2")) return broken;
  if (auto broken = cycles("l2.latency", l2.latency, 1)) return broken;
  if (auto broken = cycles("l2.far_latency", l2.far_latency, 1)) return broken;
  if (auto broken = partition_violation(gpu)) return broken;
  if (auto broken = at_least("l2.slices", l2.slices, 1)) return broken;
  if (auto broken = at_most("l2.slices", l2.slices, 4096)) return broken;
  if (auto broken = at_least("l2.sm_latency_spread", l2.sm_latency_spread, 0)) return broken;
  if (l2.sm_latency_spread >= l2.latency) return Violation{"l2.sm_latency_spread", "is not smaller than the latency"};
  return std::nullopt;
}

Broken dram_violation(const Gpu& gpu) {
  if (auto broken = cycles("dram.latency", gpu.dram.latency, 1)) return broken;
  if (auto broken = cycles("dram.far_latency", gpu.dram.far_latency, 1)) return broken;
  return gpu.dram.size ? at_least("dram.size", *gpu.dram.size, 1) : std::nullopt;
}

Broken tlb_violation(const Gpu& gpu) {
  for (std::size_t i = 0; i < gpu.tlb.size(); ++i) {
    const Tlb& tlb = gpu.tlb[i];
    const std::string key = "tlb." + std::to_string(i);
    if (auto broken = at_least(key + ".entries", tlb.entries, 1)) return broken;
    if (auto broken = at_most(key + ".entries", tlb.entries, maximum_lines)) return broken;
    if (auto broken = power_of_two(key + ".entry_span", tlb.entry_span, 4096)) return broken;
    if (auto broken = cycles(key + ".penalty", tlb.penalty, 0)) return broken;
  }
  return std::nullopt;
}

Broken noise_violation(const Gpu& gpu) {
  const Noise& noise = gpu.noise;
  const auto within = [](double value, double high) { return value >= 0 && value <= high; };
  if (!within(noise.l1_sigma, 1000)) return Violation{"noise.l1_sigma", "must lie in [0, 1000]"};
  if (!within(noise.l2_sigma, 1000)) return Violation{"noise.l2_sigma", "must lie in [0, 1000]"};
  if (!within(noise.dram_sigma, 1000)) return Violation{"noise.dram_sigma", "must lie in [0, 1000]"};
  if (!within(noise.outlier_probability, 1)) return Violation{"noise.outlier_probability", "must lie in [0, 1]"};
  if (auto broken = at_most("noise.outlier_cycles", noise.outlier_high, 1'000'000'000)) return broken;
  if (noise.outlier_low < 0 || noise.outlier_high < noise.outlier_low) {
    return Violation{"noise.outlier_cycles", "must be two numbers in ascending order, none negative"};
  }
  return std::nullopt;
}

Broken instrument_violation(const Gpu& gpu) {
  if (auto broken = cycles("instrument.each_overhead", gpu.instrument.each_overhead, 0)) return broken;
  if (auto broken = cycles("instrument.total_overhead", gpu.instrument.total_overhead, 0)) return broken;
  return at_least("instrument.kernel_shared", gpu.instrument.kernel_shared, 0);
}

Broken gpu_violation(const Gpu& gpu) {
  if (auto broken = at_least("sm_count", gpu.sm_count, 1)) return broken;
  if (auto broken = at_most("sm_count", gpu.sm_count, 65536)) return broken;
  if (auto broken = at_least("sm_clock_mhz", gpu.sm_clock_mhz, 1)) return broken;
  return at_most("sm_clock_mhz", gpu.sm_clock_mhz, 1'000'000);
}

}  // namespace

std::int64_t Cache::lines() const { return std::accumulate(set_ways.begin(), set_ways.end(), std::int64_t{0}); }

std::int64_t L1::lines_beside(std::int64_t shared_memory) const {
  if (!carveouts) return cache.lines();
  const auto& sizes = carveouts->shared_memory;
  const auto selected = static_cast<std::size_t>(std::ranges::find(sizes, shared_memory) - sizes.begin());
  return (carveouts->sram - shared_memory - carveouts->reserved.at(selected)) / cache.line_size;
}

std::vector<std::int64_t> L1::ways_beside(std::int64_t shared_memory) const {
  if (!carveouts) return cache.set_ways;
  const auto sets = static_cast<std::size_t>(carveouts->sets);
  if (carveouts->ways != 0) return std::vector<std::int64_t>(sets, carveouts->ways);
  const std::int64_t lines = lines_beside(shared_memory);
  std::vector<std::int64_t> ways(sets, lines / carveouts->sets);
  std::for_each_n(ways.begin(), lines % carveouts->sets, [](std::int64_t& count) { ++count; });
  return ways;
}

std::optional<Violation> line_violation(const Cache& cache) {
  const std::int64_t line = cache.line_size;
  const std::int64_t sector = cache.sector_size;
  const std::int64_t fetch = cache.fetch_granularity;
  if (auto broken = power_of_two("line_size", line, chase::node_bytes)) return broken;
  if (line > 65536) return Violation{"line_size", "is " + text(line) + ", must be at most 65536"};
  if (auto broken = at_least("sector_size", sector, chase::node_bytes)) return broken;
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

std::optional<Violation> violation(const Gpu& gpu) {
  for (const auto check : {&gpu_violation, &instrument_violation, &l1_violation, &l2_violation, &dram_violation,
                           &tlb_violation, &noise_violation}) {
    if (auto broken = check(gpu)) return broken;
  }
  if (gpu.shared_memory) return violation(*gpu.shared_memory);
  return std::nullopt;
}

}  // namespace tomograph::sim
