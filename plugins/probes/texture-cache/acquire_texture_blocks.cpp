#include "acquire_texture_blocks.hpp"

#include <algorithm>

#include "tomograph/parallel.hpp"

namespace tomograph::texture_cache {

namespace {

constexpr std::int64_t tiles_across = row_texels / tile;

/// To start a thread takes as long as to move the nodes of a few programs.
constexpr std::size_t programs_of_a_thread = 4;

/// Loads timed in total on each SM.
constexpr std::int64_t total_loads = 2048;

const cache::Subject texture_2d{.path = chase::Path::texture_2d, .carveout = 0};

chase::Program texture_program(const cache::Subject& subject, std::int64_t rows, std::int64_t trial) {
  chase::Program program = cache::program_for(subject, rows * row_bytes);
  program.arrays.front().width = row_bytes;
  program.trial = trial;
  return program;
}

/// Offset of the corner of tile number `number`.
std::int64_t corner(std::int64_t number) { return texel(number % tiles_across * tile, number / tiles_across * tile); }

/// Loads the texels one after the other for the first time.
chase::Program walk_program(std::vector<std::int64_t> nodes) {
  chase::Program program = texture_program(texture_2d, cache::timed_loads, 0);
  const auto loads = static_cast<std::int64_t>(nodes.size());
  cache::add_ring(program, {.array = 0, .nodes = std::move(nodes)});
  program.phases = {{0, 0, 0, loads, chase::Timing::each}};
  return program;
}

/// Two texels on one SM, over and over.
chase::Program hit_program(std::int64_t sm) {
  constexpr std::int64_t single_loads = 64;  // if one SM misreads none of them, the rate counts as 0.8 %
  cache::Subject here = texture_2d;
  here.sm = sm;
  chase::Program program = texture_program(here, 2 * tile, 0);
  cache::add_ring(program, {.array = 0, .nodes = {corner(0), corner(1)}});
  program.phases = {{0, 0, 0, 4, chase::Timing::untimed},
                    {0, 0, 0, total_loads, chase::Timing::total},
                    {0, 0, 0, single_loads, chase::Timing::each}};
  return program;
}

/// First loads of the corners of many tiles.
chase::Program miss_program(std::int64_t trial, std::int64_t sm_count) {
  constexpr std::int64_t missing_loads = 64;  // if none is misread in eight trials, the rate counts as 0.1 %
  cache::Subject here = texture_2d;
  here.sm = 0;
  chase::Program program = texture_program(here, 2 * tile, trial);
  chase::Ring ring{.array = 0};
  for (std::int64_t i = 0; i < missing_loads; ++i) ring.nodes.push_back(corner(i));
  cache::add_ring(program, std::move(ring));
  program.phases = {{0, 0, 0, missing_loads, chase::Timing::each}};
  // Another SM, if there is one, loads the texels into L2 first: the misses are those that L2 serves.
  if (sm_count > 1) {
    program.actors.push_back({1 + trial % (sm_count - 1), chase::Path::texture_2d});
    program.phases.insert(program.phases.begin(), {1, 0, 0, 2 * missing_loads, chase::Timing::untimed});
  }
  return program;
}

/// Where the nodes of a ring lie in the texture.
chase::Ring in_block_order(const chase::Ring& ring, const BlockOrder& order) {
  chase::Ring moved{.array = ring.array, .nodes = chase::node_offsets(ring)};
  for (std::int64_t& node : moved.nodes) node = order.offset_in_texture(node);
  return moved;
}

chase::Program in_block_order(chase::Program program, const BlockOrder& order) {
  for (chase::Array& array : program.arrays) {
    array.bytes = order.texture_bytes(array.bytes);
    array.width = row_bytes;
  }
  for (chase::Ring& ring : program.rings) ring = in_block_order(ring, order);
  return program;
}

}  // namespace

cache::HitAndMiss hits_and_misses(const cache::Executor& execute, std::int64_t sm_count, std::optional<double> linear) {
  std::vector<chase::Program> programs;
  for (std::int64_t sm = 0; sm < sm_count; ++sm) programs.push_back(hit_program(sm));
  const auto hit_count = programs.size();
  for (std::int64_t trial = 0; trial < 8; ++trial) programs.push_back(miss_program(trial, sm_count));
  const auto results = execute(programs);
  cache::HitAndMiss seen;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const chase::Result& result = results[i];
    auto& kind = i < hit_count ? seen.hits : seen.misses;
    const auto latencies = cache::net(result);
    kind.insert(kind.end(), latencies.begin(), latencies.end());
    if (i >= hit_count) continue;
    const double cycles = (result.totals.front() - result.overhead_total) / total_loads;
    seen.by_sm.push_back({result.sms.front(), cycles, {}});
    seen.overhead_each = result.overhead_each;
    seen.overhead_total = result.overhead_total;
  }
  seen.threshold = analysis::threshold_between(seen.hits, seen.misses);
  if (sm_count == 1 && seen.threshold && linear) seen.threshold->cycles = std::min(seen.threshold->cycles, *linear);
  return seen;
}

TileMap map_tile(const cache::Executor& execute, const cache::Subject& subject) {
  constexpr std::int64_t texels = tile * tile;
  constexpr std::int64_t pairs = cache::timed_loads / 2;  // that one program can time
  constexpr std::int64_t rows = pairs / tiles_across * tile;
  TileMap map{.trials = 3, .hits = std::vector<std::int64_t>(texels)};
  map.hits.front() = map.trials;
  std::vector<chase::Program> programs;
  for (std::int64_t trial = 0; trial < map.trials; ++trial) {
    for (std::int64_t first = 1; first < texels; first += pairs) {
      chase::Program program = texture_program(subject, rows, trial);
      chase::Ring ring{.array = 0};
      for (std::int64_t i = 0; i < std::min(pairs, texels - first); ++i) {
        const std::int64_t tested = first + i;
        ring.nodes.push_back(corner(i));
        ring.nodes.push_back(corner(i) + texel(tested % tile, tested / tile));
      }
      const std::int64_t loads = ring.size();
      cache::add_ring(program, std::move(ring));
      program.phases = {{0, 0, 0, loads, chase::Timing::each}};
      programs.push_back(std::move(program));
    }
  }
  std::size_t tested = 0;
  for (const chase::Result& result : execute(programs)) {
    const auto& latency = result.traces.front().latency;
    for (std::size_t i = 1; i < latency.size(); i += 2) {
      tested = tested % (texels - 1) + 1;
      map.hits[tested] += cache::is_hit(subject, result, latency[i]) ? 1 : 0;
    }
  }
  return map;
}

Walks first_walks(const cache::Executor& execute, const Block& block) {
  std::vector<std::int64_t> x;
  std::vector<std::int64_t> y;
  std::vector<std::int64_t> blocks;
  const BlockOrder order(Axis::x, block);
  for (std::int64_t i = 0; i < cache::timed_loads; ++i) {
    x.push_back(texel(i, 0));
    y.push_back(texel(0, i));
    blocks.push_back(order.offset_in_texture(i * chase::node_bytes));
  }
  const std::vector<chase::Program> programs{walk_program(std::move(x)), walk_program(std::move(y)),
                                             walk_program(std::move(blocks))};
  const auto results = execute(programs);
  return {cache::net(results[0]), cache::net(results[1]), cache::net(results[2])};
}

cache::Executor along(Axis axis, const Block& block, cache::Executor execute) {
  return [order = BlockOrder(axis, block), execute = std::move(execute)](std::span<const chase::Program> programs) {
    std::vector<chase::Program> moved(programs.size());
    in_parallel(programs.size(), programs_of_a_thread,
                [&](std::size_t i) { moved[i] = in_block_order(programs[i], order); });
    return execute(moved);
  };
}

}  // namespace tomograph::texture_cache
