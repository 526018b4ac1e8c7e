#include <algorithm>

#include "catch.hpp"
#include "measuring.hpp"
#include "sim/chase/placement.hpp"

namespace tomograph::sim {
namespace {

constexpr std::int64_t page = chase::array_alignment;
constexpr std::int64_t penalty = 11;

/// Loads go to the L2, each past these levels.
Gpu gpu_with_tlb(std::vector<Tlb> levels) {
  Gpu gpu = gpu_with_l1(classical_cache(128, {4}));
  gpu.caches.clear();
  gpu.translation.tlb = std::move(levels);
  return gpu;
}

/// So many pages, and to another line, so that a set of the L2 never fills.
constexpr std::int64_t step(std::int64_t pages) { return pages * page + 128; }

/// Loads that missed in the TLB, by penalty, once the ring has been followed often: '.' none, 'x' that of the tests'
/// single level.
std::string warm_misses(const Gpu& gpu, const chase::Ring& ring, std::int64_t loads) {
  chase::Program program = timed_chase(ring, loads);
  program.arrays = {{128 * page}};
  program.phases.insert(program.phases.begin(), {0, 0, 0, 3 * ring.size(), chase::Timing::untimed});
  std::string text;
  const chase::Result result = run(gpu, program, quiet);
  for (const std::uint32_t cycles : result.traces[0].latency) {
    text += cycles == l2_cycles ? '.' : cycles == l2_cycles + penalty ? 'x' : '?';
  }
  return text;
}

TEST_CASE("pages of one large set of 17 entries fit, an 18th evicts all (Mei and Chu 2017, 17 + 6 x 8)") {
  const Gpu gpu = gpu_with_tlb({tlb(page, {17, 8, 8, 8, 8, 8, 8}, penalty)});
  // Every seventh page shares a set; which one depends on where the array lies.
  std::vector<std::int64_t> capacities;
  for (std::int64_t first = 0; first < 7; ++first) {
    std::int64_t pages = 2;
    const auto fits = [&](std::int64_t count) {
      return warm_misses(gpu, {0, first * page, step(7), count}, count) ==
             std::string(static_cast<std::size_t>(count), '.');
    };
    while (pages < 18 && fits(pages)) ++pages;
    CHECK(warm_misses(gpu, {0, first * page, step(7), pages}, pages) ==
          std::string(static_cast<std::size_t>(pages), 'x'));
    capacities.push_back(pages - 1);
  }
  std::ranges::sort(capacities);
  CHECK(capacities == std::vector<std::int64_t>{8, 8, 8, 8, 8, 8, 17});
  // Contiguous pages, eight of each set.
  CHECK(warm_misses(gpu, {0, 0, step(1), 56}, 56) == std::string(56, '.'));
}

TEST_CASE(
    "entries that are dealt out fit 65 pages in a row; then set after set overflows (Mei and Chu 2017, Fig. 8; Mei et "
    "al. 2014, Fig. 11)") {
  Tlb level = tlb(page, {17, 8, 8, 8, 8, 8, 8}, penalty);
  level.entries.index.kind = Index::Kind::dealt;
  const Gpu gpu = gpu_with_tlb({level});
  std::vector<std::ptrdiff_t> more;
  std::ptrdiff_t missed = 0;
  for (std::int64_t pages = 65; pages <= 72; ++pages) {
    const std::ptrdiff_t now = std::ranges::count(warm_misses(gpu, {0, 0, step(1), pages}, pages), 'x');
    more.push_back(now - missed);
    missed = now;
  }
  CHECK(more.front() == 0);
  // The papers count entries that are missed: 17 at 132 MB, then 8 more each time. So many ways have the sets.
  // A set that overflows misses on its ways and on the page too many.
  std::ranges::sort(more);
  CHECK(more == std::vector<std::ptrdiff_t>{0, 9, 9, 9, 9, 9, 9, 18});
}

TEST_CASE("the first walk for a page takes more than later ones (Mei and Chu 2017: P5 and P3)") {
  Gpu gpu = gpu_with_tlb({tlb(page, {2}, penalty)});
  gpu.translation.first_walk_penalty = 300;
  chase::Program program = timed_chase({0, 0, step(1), 3}, 3);
  program.arrays = {{8 * page}};
  program.phases.push_back(program.phases.front());
  const chase::Result result = run(gpu, program, quiet);
  CHECK(result.traces[0].latency == std::vector<std::uint32_t>(3, dram_cycles + penalty + 300));
  CHECK(result.traces[1].latency == std::vector<std::uint32_t>(3, l2_cycles + penalty));
}

TEST_CASE("an entry serves its span, and its sub-entries are filled one by one") {
  Tlb level = tlb(4 * page, {2}, penalty);
  const auto cold = [&](std::int64_t first) {
    Gpu gpu = gpu_with_tlb({level});
    chase::Program program = timed_chase({0, first * page, page, 4}, 4);
    program.phases.push_back({0, 0, 0, 4, chase::Timing::each});
    const chase::Result result = run(gpu, program, quiet);
    const auto misses = [&](const chase::Result::Trace& trace, std::int64_t cycles) {
      return std::ranges::count(trace.latency, static_cast<std::uint32_t>(cycles + penalty));
    };
    CHECK(misses(result.traces[1], l2_cycles) == 0);
    return misses(result.traces[0], dram_cycles);
  };
  // Four pages lie in one entry or across two.
  CHECK(cold(0) <= 2);
  level.entries.sector_size = level.entries.fetch_granularity = page;
  CHECK(cold(0) == 4);
}

TEST_CASE("a miss in one level asks the next, which SMs can share") {
  std::vector<Tlb> levels{tlb(page, {1}, penalty), tlb(page, {4}, 100)};
  levels[1].shared_by = {{0, 1}, {2, 3}};
  const Gpu gpu = gpu_with_tlb(levels);
  chase::Program program = timed_chase(stride_ring(page, 3), 3);
  program.actors = {{0, chase::Path::global_cg}, {1, chase::Path::global_cg}, {2, chase::Path::global_cg}};
  program.phases = {{0, 0, 0, 3, chase::Timing::each},
                    {0, 0, 0, 3, chase::Timing::each},
                    {1, 0, 0, 3, chase::Timing::each},
                    {2, 0, 0, 3, chase::Timing::each}};
  const chase::Result result = run(gpu, program, quiet);
  const auto all = [&](std::size_t trace, std::uint32_t cycles) {
    return result.traces[trace].latency == std::vector<std::uint32_t>(3, cycles);
  };
  CHECK(all(0, dram_cycles + penalty + 100));
  CHECK(all(1, l2_cycles + penalty));
  CHECK(all(2, l2_cycles + penalty));
  CHECK(all(3, l2_cycles + penalty + 100));
}

TEST_CASE("leaving the window of active page tables costs a switch at each crossing (Mei and Chu 2017, P6)") {
  Gpu gpu = gpu_with_tlb({tlb(page, {1}, penalty)});
  gpu.translation.page_window = Translation::Window{16 * page, 1000};
  chase::Program program = timed_chase(stride_ring(page, 64), 64);
  program.arrays = {{64 * page}};
  const auto latencies = run(gpu, program, quiet).traces[0].latency;
  CHECK(latencies[0] == dram_cycles + penalty);
  std::vector<std::size_t> switches;
  for (std::size_t i = 1; i < latencies.size(); ++i) {
    if (latencies[i] == dram_cycles + penalty + 1000) switches.push_back(i);
  }
  REQUIRE((switches.size() == 3 || switches.size() == 4));
  CHECK(switches[1] - switches[0] == 16);
  CHECK(switches[2] - switches[1] == 16);
}

TEST_CASE("a hit in the TLB needs no page table, so it leaves the active window alone") {
  Gpu gpu = gpu_with_tlb({tlb(page, {2}, penalty)});
  gpu.translation.page_window = Translation::Window{16 * page, 1000};
  chase::Program program = timed_chase(stride_ring(32 * page, 2), 6);
  program.arrays = {{64 * page}};
  CHECK(run(gpu, program, quiet).traces[0].latency ==
        std::vector<std::uint32_t>{dram_cycles + penalty, dram_cycles + penalty + 1000, l2_cycles, l2_cycles, l2_cycles,
                                   l2_cycles});
}

TEST_CASE("physical addresses are scattered page by page, whatever the size of a page") {
  Gpu gpu = gpu_with_tlb({});
  const std::vector<chase::Array> arrays{{4 * page}, {4 * page, 0}};
  for (const std::int64_t size : {std::int64_t{65536}, page, 8 * page}) {
    gpu.translation.page_size = size;
    const Hierarchy hierarchy(gpu);
    const Placement placement(hierarchy, arrays, {1, 2});
    const std::uint64_t base = placement.physical_position(0);
    CHECK(placement.physical_position(1) == base);
    CHECK(placement.virtual_base(1) % static_cast<std::uint64_t>(std::max(page, size)) == 0);
    const auto step = [&](std::int64_t offset) {
      const auto bytes = static_cast<std::uint64_t>(offset);
      return placement.physical_address(base + bytes) - placement.physical_address(base + bytes - 8);
    };
    CHECK(step(size - 8) == 8);
    if (size < 4 * page) CHECK(step(size) != 8);
  }
}

TEST_CASE("programs with equal arrays find them at equal virtual addresses, and pages elsewhere") {
  // Which pages share a set of the TLB depends on virtual addresses alone.
  const Gpu gpu = gpu_with_tlb({tlb(page, {1, 2, 1, 3, 1, 1, 2}, penalty)});
  const auto conflicts = [&](std::int64_t trial, std::int64_t array_pages) {
    chase::Program program = timed_chase(stride_ring(page, 12), 24);
    program.arrays = {{array_pages * page}};
    program.trial = trial;
    return run(gpu, program, quiet).traces[0].latency;
  };
  for (std::int64_t trial = 1; trial < 10; ++trial) CHECK(conflicts(trial, 20) == conflicts(0, 20));
  int different = 0;
  for (std::int64_t pages = 21; pages < 31; ++pages) different += conflicts(0, pages) != conflicts(0, 20) ? 1 : 0;
  CHECK(different > 0);
}

}  // namespace
}  // namespace tomograph::sim
