// L2s whose lines do not overflow a page: powers of two of sets or times 3 and 5, partitions with copies, policies. The
// memory behind them: banks, the delay of conflicts, refreshes, rows.
#include <sstream>

#include "cache_truth.hpp"
#include "draw.hpp"
#include "family.hpp"
#include "random_cache.hpp"
#include "tomograph/analysis/linear_index.hpp"

namespace tomograph::bench::l2_sets_family {

namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
/// Of the memory.
constexpr int address_bits = 34;
/// Of an address within a page, which programs know.
constexpr std::uint64_t page_mask = 2 * mebibyte - 1;

sim::Cache draw_cache(Draw& draw) {
  static constexpr sim::Replacement::Policy policies[] = {
      sim::Replacement::Policy::lru, sim::Replacement::Policy::lru, sim::Replacement::Policy::fifo,
      sim::Replacement::Policy::tree_plru, sim::Replacement::Policy::random};
  static constexpr std::int64_t factors[] = {1, 1, 3, 5};
  static constexpr std::int64_t of_ways[] = {4, 8, 16};
  const std::int64_t line = draw.power_of_two(64, 256);
  const std::int64_t ways = of_ways[draw.between(0, 2)];
  const std::int64_t factor = factors[draw.between(0, 3)];
  std::int64_t sets = factor;
  while (sets * ways * line < 2 * mebibyte) sets *= 2;
  sets <<= draw.between(0, 1);
  sim::Cache cache = plain_cache(line, 32, sets, ways);
  if (factor > 1) {
    cache.index = {.kind = sim::Index::Kind::modulo};
  } else if (draw.one_in(2)) {
    cache.index = draw_hash(draw, line, sets, address_bits - 1);
  }
  cache.replacement.policy = policies[draw.between(0, 4)];
  return cache;
}

sim::MemoryChannel draw_channel(Draw& draw) {
  sim::MemoryChannel channel;
  channel.banks = draw.between(8, 48);
  channel.row = draw.power_of_two(512, 2048);
  channel.run = draw.power_of_two(256, channel.row);
  channel.conflict_cycles = draw.between(50, 120);
  channel.refresh_period = draw.between(2500, 16000);
  channel.refresh_cycles = channel.refresh_period * draw.between(4, 14) / 100;
  if (draw.one_in(3)) channel.open_row_cycles = channel.conflict_cycles * draw.between(25, 60) / 100;
  return channel;
}

sim::Gpu draw_gpu(Draw& draw) {
  sim::Gpu gpu;
  gpu.name = "random";
  gpu.sm_count = 8;
  gpu.l2.cache = draw_cache(draw);
  gpu.l2.latency = gpu.l2.far_latency = draw.between(150, 300);
  gpu.dram.latency = draw.between(500, 800);
  if (draw.one_in(2)) {
    gpu.l2.partitions = 2;
    gpu.l2.replicate = true;
    gpu.l2.far_latency = gpu.l2.latency + draw.between(60, 150);
    gpu.l2.home_masks = {(std::uint64_t{1} << draw.between(20, 24)) | (std::uint64_t{1} << draw.between(14, 19))};
  }
  gpu.dram.far_latency = gpu.dram.latency + gpu.l2.far_latency - gpu.l2.latency;
  gpu.dram.size = std::int64_t{1} << address_bits;
  if (!draw.one_in(4)) gpu.dram.channel = draw_channel(draw);
  gpu.noise = usual_noise();
  gpu.api = {{"l2.nominal_size", gpu.l2.partitions * gpu.l2.cache.lines() * gpu.l2.cache.line_size}};
  return gpu;
}

/// Whether a published index chooses sets as the L2 does within a page.
bool is_index(const sim::Cache& cache, const Json& published) {
  if (cache.index.kind == sim::Index::Kind::modulo) {
    return published == Json{{"kind", "modulo"}, {"modulus", cache.set_ways.size()}};
  }
  analysis::Basis masks;
  for (const std::uint64_t mask : sim::index_masks(cache.index)) masks.push_back(mask & page_mask);
  return analysis::basis(published_masks(published)) == analysis::basis(masks);
}

std::vector<Expected> expected(const sim::Gpu& gpu) {
  const sim::L2& l2 = gpu.l2;
  const sim::Replacement::Policy policy = l2.cache.replacement.policy;
  const bool random = policy == sim::Replacement::Policy::random;
  ExpectedFacts facts("l2.");
  facts.exact("sets", std::ssize(l2.cache.set_ways), !random);
  facts.exact("ways", l2.cache.set_ways.front(), !random);
  facts.judged("index", describe(l2.cache), !random,
               [cache = l2.cache](const Json& value) { return is_index(cache, value); });
  const std::string truth = name(policy);
  const bool queue = policy == sim::Replacement::Policy::lru || policy == sim::Replacement::Policy::fifo;
  facts.judged("replacement", truth, queue,
               [truth, queue](const Json& value) { return value == truth || (!queue && value == "not-lru"); });
  if (!gpu.dram.channel) return facts.take();
  const sim::MemoryChannel& channel = *gpu.dram.channel;
  std::vector<Expected> all = facts.take();
  ExpectedFacts memory("dram.");
  const double cycle = 1 / (static_cast<double>(gpu.sm_clock_mhz) * 1e6);
  memory.exact("channel.banks", channel.banks, !random);
  memory.within("bank_conflict_penalty", static_cast<double>(channel.conflict_cycles),
                0.05 * static_cast<double>(channel.conflict_cycles), !random);
  memory.within("refresh.period", static_cast<double>(channel.refresh_period) * cycle,
                0.001 * static_cast<double>(channel.refresh_period) * cycle, !random);
  memory.within("refresh.duration", static_cast<double>(channel.refresh_cycles) * cycle,
                0.1 * static_cast<double>(channel.refresh_cycles) * cycle, !random);
  memory.exact("row.run", channel.run, !random);
  const bool has_mates = channel.run > l2.cache.line_size;
  memory.within("row.hit_penalty", 0, 5, !random && has_mates);
  memory.exact("row.stays_open", channel.open_row_cycles > 0, !random && has_mates);
  for (Expected& fact : memory.take()) all.push_back(std::move(fact));
  return all;
}

Case draw_case(std::uint64_t number) {
  Draw draw(number);
  sim::Gpu gpu = draw_gpu(draw);
  while (sim::violation(gpu)) gpu = draw_gpu(draw);
  std::ostringstream geometry;
  geometry << describe(gpu.l2.cache) << ", " << gpu.l2.partitions << " partitions";
  const std::int64_t factor = std::ssize(gpu.l2.cache.set_ways) % 3 == 0 ? 3 : 5;
  Case drawn{.number = number,
             .kind = name(gpu.l2.cache.replacement.policy),
             .gpu = gpu,
             .geometry = geometry.str(),
             .expected = expected(gpu)};
  if (gpu.l2.cache.index.kind == sim::Index::Kind::modulo) {
    drawn.given["l2.slices"] = {{"value", 4 * factor * gpu.l2.partitions}, {"confidence", 0.99}};
  }
  return drawn;
}

}  // namespace

Family make() { return {.name = "l2_sets", .plugins = {"data-cache"}, .smoke_cases = 4, .draw = draw_case}; }

}  // namespace tomograph::bench::l2_sets_family
