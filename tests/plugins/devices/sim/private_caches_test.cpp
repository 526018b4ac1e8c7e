#include <algorithm>

#include "catch.hpp"
#include "measuring.hpp"

namespace tomograph::sim {
namespace {

using chase::Path;
using chase::Space;
using chase::Timing;

constexpr std::int64_t texture_cycles = 50;
constexpr std::int64_t middle_cycles = 90;

/// One actor loads lines, then another one; then the first once more, timed: what the other one left.
std::vector<std::uint32_t> after_the_other(const Gpu& gpu, const chase::Actor& one, const chase::Actor& other,
                                           std::int64_t lines) {
  chase::Program program;
  program.arrays = {{chase::array_alignment}, {chase::array_alignment}};
  program.rings = {{0, 0, 128, lines}, {1, 0, 128, lines}};
  program.actors = {one, other};
  program.phases = {
      {0, 0, 0, lines, Timing::untimed}, {1, 1, 0, lines, Timing::untimed}, {0, 0, 0, lines, Timing::each}};
  return run(gpu, program, quiet).traces[0].latency;
}

bool evicts(const Gpu& gpu, const chase::Actor& one, const chase::Actor& other) {
  const std::int64_t lines = 4;
  const auto latencies = after_the_other(gpu, one, other, lines);
  const auto misses = std::ranges::count_if(latencies, [](std::uint32_t cycles) { return cycles >= l2_cycles; });
  REQUIRE((misses == 0 || misses == lines));
  return misses != 0;
}

/// A fully associative cache of 4 lines for `paths`.
Gpu gpu_with_four_lines(std::vector<Path> paths) {
  Gpu gpu = gpu_with_l1(classical_cache(128, {4}));
  gpu.caches[0].paths = std::move(paths);
  return gpu;
}

TEST_CASE("paths that one cache serves evict each other's lines, paths of separate caches do not") {
  Gpu gpu = gpu_with_four_lines({Path::global_ca, Path::global_nc, Path::texture});
  CHECK(evicts(gpu, {0, Path::global_ca}, {0, Path::texture}));
  CHECK(evicts(gpu, {0, Path::texture}, {0, Path::global_nc}));
  gpu.caches[0].paths = {Path::global_ca, Path::global_nc};
  gpu.caches.push_back(private_cache("texture", classical_cache(128, {4}), {Path::texture}, texture_cycles));
  CHECK(evicts(gpu, {0, Path::global_ca}, {0, Path::global_nc}));
  CHECK_FALSE(evicts(gpu, {0, Path::global_ca}, {0, Path::texture}));
  CHECK_FALSE(evicts(gpu, {0, Path::texture}, {0, Path::global_nc}));
}

TEST_CASE("warps use the instances of their SM in turn, or in blocks of neighbours") {
  Gpu gpu = gpu_with_four_lines({Path::texture});
  gpu.caches[0].per_sm = 4;
  const auto meet = [&](std::int64_t one, std::int64_t other) {
    return evicts(gpu, {0, Path::texture, 1, one}, {0, Path::texture, 1, other});
  };
  for (const std::int64_t warp : {0, 1, 4, 6, 31}) CHECK(meet(0, warp) == (warp % 4 == 0));
  CHECK(meet(7, 31));
  gpu.caches[0].warp_block = 8;
  for (const std::int64_t warp : {0, 1, 7, 8, 16, 31}) CHECK(meet(0, warp) == (warp < 8));
  CHECK(meet(24, 31));
  gpu.caches[0].warp_block = 2;
  CHECK(meet(0, 9));
  CHECK_FALSE(evicts(gpu, {0, Path::texture, 1, 0}, {1, Path::texture, 1, 0}));
}

TEST_CASE("the warps of a wide actor cover all instances that they use") {
  Gpu gpu = gpu_with_four_lines({Path::texture});
  gpu.caches[0].per_sm = 2;
  const auto hits_of_warp = [&](std::int64_t warp, std::int64_t threads) {
    chase::Program program = timed_chase(stride_ring(128, 4), 4);
    program.actors = {{0, Path::texture, threads}, {0, Path::texture, 1, warp}};
    program.phases = {{0, 0, 0, 4 * threads, Timing::untimed}, {1, 0, 0, 4, Timing::each}};
    return pattern(run(gpu, program, quiet)) == "....";
  };
  CHECK(hits_of_warp(0, 32));
  CHECK_FALSE(hits_of_warp(1, 32));
  CHECK(hits_of_warp(1, 64));
}

TEST_CASE("SMs of one group share an instance, those of different groups do not") {
  Gpu gpu = gpu_with_four_lines({Path::global_ca});
  gpu.caches[0].shared_by = {{0, 2}, {1, 3}};
  for (const std::int64_t sm : {0, 1, 2, 3}) {
    CHECK(evicts(gpu, {0, Path::global_ca}, {sm, Path::global_ca}) == (sm % 2 == 0));
    CHECK(evicts(gpu, {3, Path::global_ca}, {sm, Path::global_ca}) == (sm % 2 == 1));
  }
}

/// Constant caches of 2 lines of 64 B and, behind it, of 4 lines of 256 B in sectors of 64 B.
Gpu gpu_with_constant_caches() {
  Gpu gpu = gpu_with_l1(classical_cache(128, {4}));
  gpu.caches.push_back(private_cache("first", classical_cache(64, {2}), {Path::constant}));
  gpu.caches.push_back(private_cache("second", classical_cache(256, {4}), {}, middle_cycles));
  gpu.caches[1].next = "second";
  gpu.caches[2].cache.sector_size = gpu.caches[2].cache.fetch_granularity = 64;
  return gpu;
}

chase::Program constant_chase(const chase::Ring& ring, std::int64_t loads) {
  chase::Program program = timed_chase(ring, loads);
  program.arrays = {{16384, chase::no_alias, Space::constant}};
  program.actors[0].path = Path::constant;
  return program;
}

/// As `pattern`, and 'm' for the middle cache.
std::string chain_pattern(const Gpu& gpu, const chase::Program& program) {
  const chase::Result result = run(gpu, program, quiet);
  std::string text = pattern(result);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (result.traces[0].latency[i] == middle_cycles) text[i] = 'm';
  }
  return text;
}

TEST_CASE("misses of one cache go to the next, which fetches what was asked for, and then to the L2") {
  const Gpu gpu = gpu_with_constant_caches();
  // Three lines in a first cache of two: all miss there, and hit behind it from the second round on.
  CHECK(chain_pattern(gpu, constant_chase(stride_ring(64, 3), 9)) == "D2Dmmmmmm");
  // The second word of a line hits in the first cache.
  CHECK(chain_pattern(gpu, constant_chase(node_ring({0, 8, 64, 72}), 8)) == "D.2.....");
  // Five lines of 256 B exceed the second cache too, four do not.
  CHECK(chain_pattern(gpu, constant_chase(stride_ring(256, 4), 8)).substr(4) == "mmmm");
  CHECK(chain_pattern(gpu, constant_chase(stride_ring(256, 5), 10)).substr(5) == "22222");
}

TEST_CASE("a second level that fetches whole lines answers their other parts") {
  Gpu gpu = gpu_with_constant_caches();
  gpu.caches[2].cache.fetch_granularity = 256;
  CHECK(chain_pattern(gpu, constant_chase(stride_ring(64, 5), 5)) == "DmmmD");
}

TEST_CASE("arrays of constant memory lie one after the other, and end where it ends") {
  Gpu gpu = gpu_with_constant_caches();
  // 16 sets of one line, selected by the remainder: arrays of 256 B take four sets each.
  gpu.caches[1].cache = classical_cache(64, std::vector<std::int64_t>(16, 1));
  chase::Program program = constant_chase(stride_ring(64, 4), 4);
  program.arrays = {{200, chase::no_alias, Space::constant}, {800, chase::no_alias, Space::constant}};
  program.rings = {{0, 0, 64, 3}, {1, 0, 64, 12}};
  program.phases = {{0, 0, 0, 3, Timing::untimed}, {0, 1, 0, 12, Timing::untimed}, {0, 0, 0, 3, Timing::each}};
  CHECK(pattern(run(gpu, program, quiet)) == "...");
  gpu.constant_memory.size = 1000;
  CHECK_THROWS_WITH(run(gpu, program, quiet), "the arrays take 1280 B of constant memory, a program has 1000 B");
  gpu.constant_memory = {.size = 2000, .array = 700};
  CHECK_THROWS_WITH(run(gpu, program, quiet), "an array takes 800 B of constant memory, one may have 700 B");
}

TEST_CASE("a path that no cache serves goes to the L2, one that the GPU lacks is refused as unsupported") {
  Gpu gpu = gpu_with_l1(classical_cache(128, {4}));
  chase::Program program = timed_chase(stride_ring(128, 1), 3);
  program.actors[0].path = Path::texture;
  CHECK(pattern(run(gpu, program, quiet)) == "D22");
  gpu.load_paths.lacks = {Path::texture};
  const Answer refused = answer(gpu, program, quiet);
  CHECK(refused.status == TOMOGRAPH_UNSUPPORTED);
  CHECK(refused.reason == "this GPU has no loads on path texture");
}

TEST_CASE("instructions are loaded through the cache that serves them, and not at all without one") {
  Gpu gpu = gpu_with_l1(classical_cache(128, {4}));
  chase::Program program = timed_chase(stride_ring(128, 1), 3);
  program.arrays = {{4096, chase::no_alias, Space::instruction}};
  program.actors[0].path = Path::instruction;
  const Answer refused = answer(gpu, program, quiet);
  CHECK(refused.status == TOMOGRAPH_UNSUPPORTED);
  CHECK(refused.reason == "this GPU has no loads on path instruction");
  gpu.caches[0].paths.push_back(Path::instruction);
  CHECK(pattern(run(gpu, program, quiet)) == "D..");
}

TEST_CASE("a block of code covers all lines and sectors of its 128 bytes, wherever in it the node lies") {
  Gpu gpu = gpu_with_l1(classical_cache(32, {8}));
  gpu.caches[0].paths.push_back(Path::instruction);
  chase::Program program;
  program.arrays = {{4096, chase::no_alias, Space::instruction}};
  program.actors = {{0, Path::instruction}};
  // Two blocks fill the eight lines, a third one needs the room of four.
  program.rings = {{0, 0, 128, 2}, {0, 256 + 40, 128, 1}, {0, 8, 128, 2}};
  program.phases = {
      {0, 0, 0, 4, Timing::each}, {0, 1, 0, 2, Timing::each}, {0, 2, 1, 1, Timing::each}, {0, 2, 0, 1, Timing::each}};
  const auto result = run(gpu, program, quiet);
  CHECK(pattern(result, 0) == "DD..");
  CHECK(pattern(result, 1) == "D.");
  CHECK(pattern(result, 2) == ".");
  CHECK(pattern(result, 3) == "2");
}

/// Constants fill a small first cache and a second one behind it; then code is executed that is as large as the second
/// one. How often the constants then have to come from the L2.
std::size_t constants_gone_after_code(const std::string& behind_code) {
  constexpr std::int64_t lines = 16;
  Gpu gpu = gpu_with_l1(classical_cache(128, {2}));
  gpu.constant_memory = {.size = 65280, .array = 65280};
  gpu.caches[0].paths = {Path::constant};
  gpu.caches[0].next = "constant_l15";
  gpu.caches.push_back(private_cache("instruction_l1", classical_cache(128, {2}), {Path::instruction}));
  gpu.caches[1].next = behind_code;
  gpu.caches.push_back(private_cache("constant_l15", classical_cache(128, {lines}), {}, middle_cycles));
  chase::Program program;
  program.arrays = {{lines * 128, chase::no_alias, Space::constant},
                    {lines * 128, chase::no_alias, Space::instruction}};
  program.actors = {{0, Path::constant}, {0, Path::instruction}};
  program.rings = {{0, 0, 128, lines}, {1, 0, 128, lines}};
  program.phases = {
      {0, 0, 0, lines, Timing::untimed}, {1, 1, 0, lines, Timing::untimed}, {0, 0, 0, lines, Timing::each}};
  const auto latencies = run(gpu, program, quiet).traces[0].latency;
  return static_cast<std::size_t>(std::ranges::count(latencies, l2_cycles));
}

TEST_CASE("code evicts constants from a second constant cache that it goes through, and from no other") {
  CHECK(constants_gone_after_code("constant_l15") == 16);
  CHECK(constants_gone_after_code("") == 0);
}

TEST_CASE("loads of a path that takes longer do so wherever they are served") {
  Gpu gpu = gpu_with_four_lines({Path::global_ca, Path::texture});
  gpu.load_paths.path_delay[Path::texture] = 12;
  chase::Program program = timed_chase(stride_ring(128, 1), 2);
  program.actors[0].path = Path::texture;
  CHECK(run(gpu, program, quiet).traces[0].latency == std::vector<std::uint32_t>{dram_cycles + 12, l1_cycles + 12});
}

TEST_CASE("loads of shared memory take its latency, as far as a CTA has some") {
  Gpu gpu = gpu_with_l1(classical_cache(128, {4}));
  chase::Program program = timed_chase(stride_ring(1024, 8), 16);
  program.arrays = {{8192, chase::no_alias, Space::shared}};
  program.actors[0].path = Path::shared;
  CHECK(answer(gpu, program, quiet).status == TOMOGRAPH_UNSUPPORTED);
  gpu.shared_memory.emplace();
  gpu.shared_memory->size_per_sm = gpu.shared_memory->size_per_block = 16384;
  gpu.shared_memory->latency = 23;
  const chase::Result result = run(gpu, program, quiet);
  CHECK(result.traces[0].latency == std::vector<std::uint32_t>(16, 23));
  CHECK(result.kernel_shared == 8192);
  program.arrays[0].bytes = 20480;
  CHECK_THROWS_WITH(run(gpu, program, quiet), "the program takes 20480 B of shared memory, a CTA has 16384 B");
}

/// Texels of a row, from the first on, that hit once the first one was loaded; and of the first column.
std::pair<std::int64_t, std::int64_t> texels_of_first_line(const std::string& order) {
  Gpu gpu = gpu_with_four_lines({Path::texture_2d});
  gpu.texture_memory.texel_order = order;
  const std::int64_t width = 512;
  const auto hits = [&](std::int64_t stride) {
    chase::Program program = timed_chase({0, 0, stride, 32}, 32);
    program.arrays = {{32 * width, chase::no_alias, Space::texture, width}};
    program.actors[0].path = Path::texture_2d;
    const std::string trace = pattern(run(gpu, program, quiet));
    return static_cast<std::int64_t>(trace.find_first_not_of('.', 1));
  };
  return {hits(8), hits(width)};
}

TEST_CASE("a line holds the texels that are neighbours in the order of the texture") {
  // 16 texels of 8 B in a line of 128 B.
  CHECK(texels_of_first_line("") == std::pair<std::int64_t, std::int64_t>{16, 1});
  CHECK(texels_of_first_line("xyxy") == std::pair<std::int64_t, std::int64_t>{4, 4});
  CHECK(texels_of_first_line("xxxyyy") == std::pair<std::int64_t, std::int64_t>{8, 2});
  CHECK(texels_of_first_line("yyyyxx") == std::pair<std::int64_t, std::int64_t>{1, 16});
}

TEST_CASE("texels in Z order lie where their interleaved coordinates say, block after block along a row") {
  const TextureLayout layout({"xyxy"});
  const chase::Array array{10 * 64, chase::no_alias, Space::texture, 64};  // 8 x 10 texels: 2 x 3 blocks of 4 x 4
  const auto place = [&](std::uint64_t x, std::uint64_t y) { return layout.place(array, y * 64 + x * 8) / 8; };
  CHECK(place(1, 0) == 1);
  CHECK(place(0, 1) == 2);
  CHECK(place(3, 3) == 15);
  CHECK(place(4, 0) == 16);
  CHECK(place(0, 4) == 32);
  CHECK(place(5, 9) == 5 * 16 + 3);
  CHECK(layout.bytes(array) == 6 * 16 * 8);
}

}  // namespace
}  // namespace tomograph::sim
