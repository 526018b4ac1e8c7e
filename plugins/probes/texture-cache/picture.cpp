#include "picture.hpp"

#include <algorithm>

namespace tomograph::texture_cache {

namespace {

constexpr std::int64_t tiles_across = row_texels / tile;

/// Blocks from the top to the bottom of a texture whose blocks are numbered along y.
constexpr std::int64_t column_blocks = 256;

const cache::Subject pictures{.path = chase::Path::texture_2d, .carveout = 0};

chase::Program picture_program(const cache::Subject& subject, std::int64_t rows, std::int64_t trial) {
  chase::Program program = cache::program_for(subject, rows * row_bytes);
  program.arrays.front().width = row_bytes;
  program.trial = trial;
  return program;
}

/// Offset of the corner of tile number `number`.
std::int64_t corner(std::int64_t number) { return texel(number % tiles_across * tile, number / tiles_across * tile); }

/// Texel after texel of a first walk.
chase::Program walk_program(std::vector<std::int64_t> nodes) {
  chase::Program program = picture_program(pictures, cache::timed_loads, 0);
  const auto loads = static_cast<std::int64_t>(nodes.size());
  cache::add_ring(program, {.array = 0, .nodes = std::move(nodes)});
  program.phases = {{0, 0, 0, loads, chase::Timing::each}};
  return program;
}

/// Where byte `offset` of an array lies in the texture, and how large the texture must be.
class Layout {
 public:
  Layout(Axis axis, const Block& block) : axis_(axis), block_(block) {}

  [[nodiscard]] std::int64_t place(std::int64_t offset) const {
    const std::int64_t number = offset / block_.bytes();
    const std::int64_t inside = offset % block_.bytes();
    const std::int64_t across = axis_ == Axis::x ? number % blocks_across() : number / column_blocks;
    const std::int64_t down = axis_ == Axis::x ? number / blocks_across() : number % column_blocks;
    return (down * block_.height + inside / block_.width) * row_bytes + across * block_.width + inside % block_.width;
  }

  [[nodiscard]] std::int64_t bytes(std::int64_t linear_bytes) const {
    const std::int64_t blocks = (linear_bytes + block_.bytes() - 1) / block_.bytes();
    const std::int64_t down = axis_ == Axis::x ? (blocks + blocks_across() - 1) / blocks_across() : column_blocks;
    return down * block_.height * row_bytes;
  }

 private:
  [[nodiscard]] std::int64_t blocks_across() const { return row_bytes / block_.width; }

  Axis axis_;
  Block block_;
};

chase::Program laid_out(chase::Program program, const Layout& layout) {
  for (chase::Array& array : program.arrays) {
    array.bytes = layout.bytes(array.bytes);
    array.width = row_bytes;
  }
  for (chase::Ring& ring : program.rings) {
    auto nodes = chase::node_offsets(ring);
    for (std::int64_t& node : nodes) node = layout.place(node);
    ring = {.array = ring.array, .nodes = std::move(nodes)};
  }
  return program;
}

}  // namespace

std::optional<Block> fetched_block(const TileMap& map) {
  const auto came = [&](std::int64_t x, std::int64_t y) { return 2 * map.at(x, y) > map.trials; };
  std::int64_t width = 0;
  std::int64_t height = 0;
  while (width < tile && came(width, 0)) ++width;
  while (height < tile && came(0, height)) ++height;
  for (std::int64_t y = 0; y < tile; ++y) {
    for (std::int64_t x = 0; x < tile; ++x) {
      if (came(x, y) != (x < width && y < height)) return std::nullopt;
    }
  }
  return Block{width * chase::node_bytes, height};
}

double agreement(const TileMap& map, const Block& block) {
  std::int64_t agreeing = 0;
  for (std::int64_t y = 0; y < tile; ++y) {
    for (std::int64_t x = 0; x < tile; ++x) {
      const bool inside = x * chase::node_bytes < block.width && y < block.height;
      agreeing += map.at(x, y) == (inside ? map.trials : 0) ? 1 : 0;
    }
  }
  return static_cast<double>(agreeing) / static_cast<double>(tile * tile);
}

cache::HitAndMiss hits_and_misses(const cache::Executor& execute, std::int64_t sm_count) {
  constexpr std::int64_t total_loads = 2048;
  constexpr std::int64_t single_loads = 64;
  std::vector<chase::Program> programs;
  for (std::int64_t sm = 0; sm < sm_count; ++sm) {
    cache::Subject here = pictures;
    here.sm = sm;
    chase::Program program = picture_program(here, 2 * tile, 0);
    cache::add_ring(program, {.array = 0, .nodes = {corner(0), corner(1)}});
    program.phases = {{0, 0, 0, 4, chase::Timing::untimed},
                      {0, 0, 0, total_loads, chase::Timing::total},
                      {0, 0, 0, single_loads, chase::Timing::each}};
    programs.push_back(std::move(program));
  }
  const auto hit_count = programs.size();
  constexpr std::int64_t missing_loads = 64;
  for (std::int64_t trial = 0; trial < 8; ++trial) {
    cache::Subject here = pictures;
    here.sm = 0;
    chase::Program program = picture_program(here, 2 * tile, trial);
    chase::Ring ring{.array = 0};
    for (std::int64_t i = 0; i < missing_loads; ++i) ring.nodes.push_back(corner(i));
    cache::add_ring(program, std::move(ring));
    program.phases = {{0, 0, 0, missing_loads, chase::Timing::each}};
    // Brought into L2 by another SM, if there is one: a miss that L2 serves is no hit.
    if (sm_count > 1) {
      program.actors.push_back({1 + trial % (sm_count - 1), chase::Path::texture_2d});
      program.phases.insert(program.phases.begin(), {1, 0, 0, 2 * missing_loads, chase::Timing::untimed});
    }
    programs.push_back(std::move(program));
  }
  const auto results = execute(programs);
  cache::HitAndMiss seen;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const chase::Result& result = results[i];
    auto& kind = i < hit_count ? seen.hits : seen.misses;
    const auto latencies = cache::net(result);
    kind.insert(kind.end(), latencies.begin(), latencies.end());
    if (i >= hit_count) continue;
    seen.by_sm.push_back({result.sms.front(), (result.totals.front() - result.overhead_total) / total_loads});
    seen.overhead_each = result.overhead_each;
    seen.overhead_total = result.overhead_total;
  }
  seen.threshold = analysis::threshold_between(seen.hits, seen.misses);
  return seen;
}

TileMap map_tile(const cache::Executor& execute, const cache::Subject& subject) {
  constexpr std::int64_t texels = tile * tile;
  constexpr std::int64_t pairs = cache::timed_loads / 2;
  constexpr std::int64_t rows = pairs / tiles_across * tile;
  TileMap map{.trials = 3, .hits = std::vector<std::int64_t>(texels)};
  map.hits.front() = map.trials;
  std::vector<chase::Program> programs;
  for (std::int64_t trial = 0; trial < map.trials; ++trial) {
    for (std::int64_t first = 1; first < texels; first += pairs) {
      chase::Program program = picture_program(subject, rows, trial);
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
  for (std::int64_t i = 0; i < cache::timed_loads; ++i) {
    x.push_back(texel(i, 0));
    y.push_back(texel(0, i));
    blocks.push_back(Layout(Axis::x, block).place(i * chase::node_bytes));
  }
  const std::vector<chase::Program> programs{walk_program(std::move(x)), walk_program(std::move(y)),
                                             walk_program(std::move(blocks))};
  const auto results = execute(programs);
  return {cache::net(results[0]), cache::net(results[1]), cache::net(results[2])};
}

cache::Executor along(Axis axis, const Block& block, cache::Executor execute) {
  return [layout = Layout(axis, block), execute = std::move(execute)](std::span<const chase::Program> programs) {
    std::vector<chase::Program> moved;
    moved.reserve(programs.size());
    for (const chase::Program& program : programs) moved.push_back(laid_out(program, layout));
    return execute(moved);
  };
}

}  // namespace tomograph::texture_cache
