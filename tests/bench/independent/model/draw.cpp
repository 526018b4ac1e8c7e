#include "draw.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "draw_extreme.hpp"
#include "draw_strange.hpp"
#include "parts.hpp"

namespace independent {

namespace {

constexpr unsigned page_bits = 21;
constexpr unsigned physical_bits = 34;

double whole(Random& random, double low, double high) { return std::round(random.uniform(low, high)); }

SetIndex draw_index(Random& random, unsigned lowest, unsigned bits, unsigned end) {
  const double kind = random.uniform();
  if (kind < 0.45) return contiguous_index(lowest, bits);
  if (kind < 0.55 && bits > 0 && bits < 8)
    return scattered_index(random, lowest, bits, std::min(lowest + bits + 2, end));
  return hashed_index(random, lowest, bits, end);
}

void draw_l2_latency(Random& random, Gpu& gpu) {
  L2Description& l2 = gpu.l2;
  const double base = random.uniform(150, 300);
  const double spread = random.uniform(0.003, 0.02) * base;
  std::vector<double> of_slice;
  for (std::uint32_t slice = 0; slice < l2.slices; ++slice) of_slice.push_back(spread * random.normal());
  std::vector<double> of_gpc;
  for (int gpc = 0; gpc < 12; ++gpc) of_gpc.push_back(spread * random.normal());
  for (std::int64_t sm = 0; sm < gpu.sms; ++sm) {
    const double of_sm = base + of_gpc[static_cast<std::size_t>(sm * 12 / gpu.sms)] + 0.3 * spread * random.normal();
    std::vector<float>& row = l2.latency.emplace_back();
    for (const double offset : of_slice) row.push_back(static_cast<float>(of_sm + offset + random.uniform(-2, 2)));
  }
}

void draw_partitions(Random& random, Gpu& gpu) {
  L2Description& l2 = gpu.l2;
  const double kind = random.uniform();
  l2.partitions = kind < 0.6 || gpu.sms < 8 ? 1 : kind < 0.9 ? 2 : 4;
  const auto partitions = static_cast<std::int64_t>(l2.partitions);
  l2.partition_of_sm =
      random.chance(0.5) ? neighbours(gpu.sms, (gpu.sms + partitions - 1) / partitions) : dealt(gpu.sms, partitions);
  l2.replicated = l2.partitions > 1 && random.chance(0.5);
}

/// Each mask has a bit of its own above those of the sets, so that all partitions are homes of equally many lines of
/// each set. Mostly, homes also change within some KiB.
void draw_homes(Random& random, L2Description& l2, unsigned first_free_bit) {
  const unsigned lowest = random.chance(0.8) ? 10 : page_bits;
  for (unsigned i = 0; i < log2_of(l2.partitions); ++i) {
    std::uint64_t mask = std::uint64_t{1} << (first_free_bit + i);
    for (unsigned bit = lowest; bit < physical_bits; ++bit) {
      if (bit == first_free_bit || bit == first_free_bit + 1) continue;
      mask |= static_cast<std::uint64_t>(random.chance(0.5)) << bit;
    }
    l2.partition_masks.push_back(mask);
  }
}

void draw_l2(Random& random, Gpu& gpu) {
  L2Description& l2 = gpu.l2;
  CacheDescription& cache = l2.cache;
  cache.line = random.pick<std::int64_t>({32, 64, 128, 128, 128});
  cache.sector = random.chance(0.7) ? 32 : cache.line;
  cache.fetch = cache.line > cache.sector && random.chance(0.3) ? 2 * cache.sector : cache.sector;
  draw_partitions(random, gpu);
  const int ways = random.pick({4, 8, 8, 12, 16, 16, 24});
  const double size = random.chance(0.5) ? random.uniform(18, 20) : random.chance(0.9) ? random.uniform(20, 23) : 24;
  const double sets = std::exp2(size) / static_cast<double>(cache.line * ways * l2.partitions);
  const auto bits = static_cast<unsigned>(std::max(5.0, std::round(std::log2(sets))));
  const unsigned lowest = log2_of(cache.line);
  set_geometry(cache,
               random.chance(0.5) ? contiguous_index(lowest, bits) : hashed_index(random, lowest, bits, physical_bits),
               ways);
  draw_known_policy(random, cache, ways);
  draw_homes(random, l2, lowest + bits);
  l2.slices = std::min(cache.index.sets, 1U << random.between(0, 5));
  draw_l2_latency(random, gpu);
  if (l2.partitions > 1) l2.far_extra = std::round(static_cast<double>(l2.latency[0][0]) * random.uniform(0.25, 0.7));
}

CacheDescription draw_first_level_cache(Random& random, const CacheDescription& l2) {
  CacheDescription cache;
  cache.line = random.pick<std::int64_t>({32, 64, 128, 128, 128});
  cache.sector = random.chance(0.7) ? 32 : std::min(cache.line, l2.sector);
  cache.fetch = cache.sector;
  const int ways = random.pick({2, 3, 4, 4, 6, 8, 16});
  const std::int64_t largest = std::min(256 * KiB, l2.size() / 4);
  const double bytes = random.uniform(13, std::log2(static_cast<double>(largest)));
  const double sets = std::exp2(bytes) / static_cast<double>(cache.line * ways);
  const auto bits = static_cast<unsigned>(std::clamp(std::floor(std::log2(sets)), 2.0, 9.0));
  const unsigned lowest = log2_of(cache.line);
  set_geometry(cache, draw_index(random, lowest, bits, page_bits), ways);
  draw_known_policy(random, cache, ways);
  return cache;
}

void draw_first_levels(Random& random, Gpu& gpu) {
  const double layout = random.uniform();
  if (layout < 0.5) {
    gpu.level_of_path = {0, 0, 0};
  } else if (layout < 0.7) {
    gpu.level_of_path = {0, 1, 1};
  } else if (layout < 0.85) {
    gpu.level_of_path = {-1, 0, 0};
  } else {
    gpu.level_of_path = {0, 1, 2};
  }
  const int levels = *std::max_element(gpu.level_of_path.begin(), gpu.level_of_path.end()) + 1;
  for (int level = 0; level < levels; ++level) {
    FirstLevel& first = gpu.first_levels.emplace_back();
    first.cache = draw_first_level_cache(random, gpu.l2.cache);
    first.virtually_tagged = random.chance(0.6);
    first.per_sm = random.chance(0.8) ? 1 : random.pick({2, 2, 4});
    first.bypass = whole(random, 15, 40);
  }
  // An L1 with a policy for any number of ways may share its SRAM with shared memory.
  FirstLevel& l1 = gpu.first_levels.front();
  const bool any_ways =
      l1.cache.policy == Policy::lru || l1.cache.policy == Policy::fifo || l1.cache.policy == Policy::random;
  const int ways = l1.cache.set_ways.front();
  if (layout < 0.5 && any_ways && ways > 2 && l1.cache.size() >= 32 * KiB) {
    l1.shares_sram = true;
    gpu.shared_memory = l1.cache.size() / ways * (ways - 1);
  }
  const double latency = whole(random, 20, 45);
  gpu.path_latency = {latency, latency + whole(random, 0, 6), latency + whole(random, 30, 70)};
}

CacheDescription draw_constant_cache(Random& random, std::int64_t line, unsigned most_bits, int most_ways) {
  CacheDescription cache;
  cache.line = cache.sector = cache.fetch = line;
  const auto bits = static_cast<unsigned>(random.between(1, most_bits));
  const int ways = 1 << random.between(1, log2_of(most_ways));
  set_geometry(
      cache, random.chance(0.7) ? contiguous_index(log2_of(line), bits) : hashed_index(random, log2_of(line), bits, 16),
      ways);
  cache.policy = ways > 2 ? random.pick({Policy::lru, Policy::lru, Policy::tree_plru, Policy::fifo}) : Policy::lru;
  return cache;
}

void draw_constants(Random& random, Gpu& gpu) {
  ConstantCaches& constants = gpu.constants;
  const std::int64_t line = random.pick<std::int64_t>({64, 64, 32, 128});
  do {
    constants.l1 = draw_constant_cache(random, line, 4, 8);
  } while (constants.l1.size() < 1 * KiB || constants.l1.size() > 8 * KiB);
  constants.l1_latency = whole(random, 20, 48);
  constants.l1_per_sm = random.chance(0.85) ? 1 : 2;
  constants.bypass = whole(random, 10, 19);
  if (random.chance(0.2)) return;
  do {
    constants.l15 = draw_constant_cache(random, line * random.pick<std::int64_t>({1, 2, 4}), 7, 8);
  } while (constants.l15->size() < 4 * constants.l1.size() || constants.l15->size() > 128 * KiB);
  constants.l15_latency = constants.l1_latency + whole(random, 40, 80);
  constants.bypass = whole(random, 20, 60);
  const double groups = random.uniform();
  const std::int64_t size = groups < 0.4 ? 1 : groups < 0.75 ? random.between(2, 4) : groups < 0.95 ? 6 : gpu.sms;
  constants.l15_of_sm = neighbours(gpu.sms, std::min(size, gpu.sms));
}

TlbDescription draw_tlb(Random& random, std::int64_t span, std::int64_t entries, bool one_set) {
  constexpr std::int64_t most_ways = 64;
  TlbDescription tlb;
  CacheDescription& cache = tlb.entries;
  cache.line = cache.sector = cache.fetch = span;
  std::int64_t sets = one_set ? 1 : random.pick<std::int64_t>({1, 4, 8, 16, 32});
  while (entries / sets > most_ways) sets *= 2;
  const std::int64_t ways = std::max<std::int64_t>(entries / sets, 4);
  set_geometry(cache, contiguous_index(log2_of(span), log2_of(sets)), static_cast<int>(ways));
  const Policy other = std::has_single_bit(static_cast<unsigned>(ways)) ? Policy::tree_plru : Policy::lru;
  cache.policy = random.pick({Policy::lru, Policy::lru, Policy::lru, Policy::random, Policy::fifo, other});
  return tlb;
}

std::int64_t reach(const TlbDescription& tlb) { return tlb.entries.size(); }

void draw_tlbs(Random& random, Gpu& gpu) {
  const std::int64_t most_entries = gpu.l2.cache.lines() * gpu.l2.partitions / 16;
  const double kind = random.uniform();
  const int levels = kind < 0.1 || most_entries < 64 ? 1 : kind < 0.85 || most_entries < 1024 ? 2 : 3;
  std::int64_t span = random.pick<std::int64_t>({2, 2, 2, 4, 8, 16}) * MiB;
  std::int64_t entries = std::min<std::int64_t>(random.pick<std::int64_t>({8, 16, 16, 32, 64}), most_entries);
  for (int level = 0; level < levels; ++level) {
    TlbDescription tlb = draw_tlb(random, span, entries, level == 0);
    tlb.penalty = level == 0 ? whole(random, 8, 60) : whole(random, 60, 300);
    const std::int64_t group = level == 0 ? random.pick<std::int64_t>({1, 1, 1, 2, 4})
                                          : random.pick<std::int64_t>({4, 12, gpu.sms, gpu.sms, gpu.sms});
    tlb.instance_of_sm = neighbours(gpu.sms, level == 2 ? gpu.sms : std::min(group, gpu.sms));
    if (level > 0 && reach(tlb) < 3 * reach(gpu.translation.tlbs.back())) break;
    gpu.translation.tlbs.push_back(tlb);
    span *= random.pick<std::int64_t>({1, 1, 2});
    entries = std::min(tlb.entries.lines() * random.pick<std::int64_t>({4, 8, 16, 32}), most_entries);
  }
}

void draw_memory(Random& random, Gpu& gpu) {
  MemoryDescription& memory = gpu.memory;
  Translation& translation = gpu.translation;
  const std::int64_t last_reach = reach(translation.tlbs.back());
  memory.size = 2 * GiB;
  while (memory.size < 4 * last_reach) memory.size *= 2;
  if (random.chance(0.15) && last_reach <= 2 * GiB) {
    translation.window = 512 * MiB;
    while (translation.window < 2 * last_reach) translation.window *= 2;
    translation.window_penalty = whole(random, 150, 1200);
    memory.size = std::max(memory.size, 8 * translation.window);
  }
  memory.free = memory.size - random.between(100, 400) * MiB;
  memory.extra = whole(random, 150, 450);
  memory.far_extra = gpu.l2.partitions > 1 ? whole(random, 0, 40) : 0;
  memory.deviation = random.uniform(3, 20);
  memory.row_share = random.chance(0.5) ? random.uniform(0, 0.5) : 0;
  memory.row_extra = random.uniform(10, 40);
  memory.refresh_share = random.uniform(0, 0.02);
  memory.refresh_extra = random.uniform(50, 200);
}

void draw_noise(Random& random, NoiseDescription& noise) {
  noise.first_level = random.chance(0.5) ? 0 : random.uniform(0, 0.4);
  noise.l2 = random.uniform(0.5, 4);
  noise.drift = random.uniform(0, 0.003);
  noise.drift_period = std::pow(10, random.uniform(7, 10));
  noise.late_share = std::pow(10, random.uniform(-6, -4.7));
  noise.late_extra = random.uniform(500, 10000);
  noise.clock_step = random.pick({1, 1, 1, 2, 2, 4});
}

}  // namespace

Gpu draw(const std::string& family, std::uint64_t seed) {
  const auto found = std::find(families.begin(), families.end(), family);
  if (found == families.end()) throw std::runtime_error("there is no family '" + family + "'");
  Random random(mix(seed) + static_cast<std::uint64_t>(found - families.begin()));
  Gpu gpu;
  gpu.family = family;
  gpu.seed = seed;
  gpu.sms = random.pick<std::int64_t>({4, 6, 8, 10, 12, 14, 15, 16, 20, 24, 28, 40, 60});
  gpu.clock_hz = random.between(800, 2000) * 1'000'000;
  gpu.shared_memory = random.pick<std::int64_t>({48, 64, 96, 100}) * KiB;
  gpu.shared_latency = whole(random, 20, 40);
  draw_l2(random, gpu);
  draw_first_levels(random, gpu);
  draw_constants(random, gpu);
  draw_tlbs(random, gpu);
  draw_memory(random, gpu);
  draw_noise(random, gpu.noise);
  gpu.translation.stable_addresses = random.chance(0.8);
  const bool is_extreme = family == "extreme";
  if (family == "strange" || (is_extreme && random.chance(0.5))) make_strange(random, gpu);
  if (is_extreme) make_extreme(random, gpu);
  return gpu;
}

}  // namespace independent
