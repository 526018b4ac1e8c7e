#include <algorithm>
#include <array>

#include "catch.hpp"
#include "measuring.hpp"

/// Traces worked out by hand, load by load.
namespace tomograph::sim {
namespace {

std::string trace_of(const Gpu& gpu, const chase::Program& program) { return pattern(run(gpu, program, quiet)); }

std::string trace_through_l2(const Gpu& gpu, const chase::Ring& ring, std::int64_t loads) {
  chase::Program program = timed_chase(ring, loads);
  program.actors[0].path = chase::Path::global_cg;
  return trace_of(gpu, program);
}

std::string repeated(char letter, std::size_t count) { return std::string(count, letter); }

TEST_CASE("129 lines in Fermi's L1 hit and miss as in Mei and Chu 2017, Fig. 11") {
  // 128 lines of 128 B in 32 sets of 4 ways. Lines 3, 35, 68, 100 and 129, counted from 1, meet in one set. So the set
  // is selected by address bits 9 to 11, as the paper says, and by 7 with 13 and 8 with 14; bits 12 and 13 tell its
  // first four lines apart, as the paper says of the ways. Victims' ways in the figure: 2 3 2 1 2 4 2 3 2, every other
  // one 2.
  Cache cache = classical_cache(128, std::vector<std::int64_t>(32, 4));
  cache.index = {Index::Kind::hashed, {}, {0x200, 0x400, 0x800, 0x2080, 0x4100}};
  cache.replacement = {.policy = Replacement::Policy::way_order, .way_order = {1, 2, 1, 0, 1, 3}};
  const std::string trace = trace_of(gpu_with_l1(cache), timed_chase(stride_ring(128, 129), 4 * 129));
  const std::array<std::size_t, 5> first_set{3, 35, 68, 100, 129};
  std::string of_first_set;
  std::string of_others;
  for (std::size_t load = 128; load < trace.size(); ++load) {
    const bool meets = std::ranges::find(first_set, load % 129 + 1) != first_set.end();
    (meets ? of_first_set : of_others) += trace[load] == '.' ? 'h' : 'm';
  }
  //                          reads 129, then 3, 35, 68, 100, 129 again and again; the figure ends with a read of 35
  CHECK(of_first_set.substr(0, 13) ==
        "m"
        "hmmhm"
        "mhmmh"
        "mm");
  CHECK(of_others == repeated('h', of_others.size()));
}

/// Share of misses in a walk over `bytes`, line by line, in its steady state.
double miss_rate(const Cache& cache, std::int64_t bytes) {
  constexpr std::size_t rounds = 60;
  constexpr std::size_t settling = 10;
  const std::int64_t lines = bytes / cache.line_size;
  const std::string trace = trace_of(
      gpu_with_l1(cache), timed_chase(stride_ring(cache.line_size, lines), static_cast<std::int64_t>(rounds) * lines));
  const std::string steady = trace.substr(settling * static_cast<std::size_t>(lines));
  return 1 - static_cast<double>(std::ranges::count(steady, '.')) / static_cast<double>(steady.size());
}

// Mei et al. 2014, Fig. 9, from 16 to 24 KB. With 5 and 6 lines for 4 ways that victims are drawn from with their way
// probabilities, 40 and 60 % miss. The paper's maximum of 50 % is reached at 22 KB.
TEST_CASE("the miss rate of Fermi's L1 rises slowly beyond 16 KB, where that of LRU is 1 from 20 KB on") {
  Cache cache = classical_cache(128, std::vector<std::int64_t>(32, 4));
  cache.index = {Index::Kind::hashed, {}, {0x200, 0x400, 0x800, 0x2080, 0x4100}};
  cache.replacement = {.policy = Replacement::Policy::way_weighted,
                       .way_probability = {1 / 6., 1 / 2., 1 / 6., 1 / 6.}};
  constexpr std::int64_t kb = 1024;
  CHECK(miss_rate(cache, 16 * kb) == 0);
  const std::array<double, 8> rate{0.119, 0.221, 0.317, 0.401, 0.460, 0.507, 0.556, 0.597};
  for (std::size_t i = 0; i < rate.size(); ++i) {
    CHECK(miss_rate(cache, (17 + static_cast<std::int64_t>(i)) * kb) == Approx(rate[i]).margin(0.02));
  }
  cache.replacement = {};
  CHECK(miss_rate(cache, 18 * kb) == Approx(80 / 144.));
  CHECK(miss_rate(cache, 20 * kb) == 1);
  CHECK(miss_rate(cache, 24 * kb) == 1);
}

/// 48 lines of 128 B in 4 sets, and a prefetch of 32 lines: two thirds of the capacity.
Gpu gpu_with_prefetch() {
  Gpu gpu = gpu_with_l1(classical_cache(128, {4}));
  gpu.l2.cache = classical_cache(128, {12, 12, 12, 12});
  gpu.l2.prefetch_size = 32 * 128;
  return gpu;
}

TEST_CASE("below the size of the prefetch only the first load misses (Mei and Chu 2017, section 4.6)") {
  const Gpu gpu = gpu_with_prefetch();
  CHECK(trace_through_l2(gpu, stride_ring(128, 32), 32) == "D" + repeated('2', 31));
  CHECK(trace_through_l2(gpu, stride_ring(128, 33), 33) == "D" + repeated('2', 31) + "D");
  // The second prefetch brings what still fits: all.
  CHECK(trace_through_l2(gpu, stride_ring(128, 48), 96) == "D" + repeated('2', 31) + "D" + repeated('2', 15 + 48));
}

TEST_CASE("a prefetch takes empty ways only, and none where the cache is full") {
  // 60 lines: 48 fit, of which the second prefetch brings the last 16. From the 49th on each load evicts, LRU, so
  // that the 12 lines of the first round and all 60 of the second come from DRAM.
  CHECK(trace_through_l2(gpu_with_prefetch(), stride_ring(128, 60), 120) ==
        "D" + repeated('2', 31) + "D" + repeated('2', 15) + repeated('D', 12 + 60));
}

TEST_CASE("a prefetch goes upwards, up to the end of the page") {
  const Gpu gpu = gpu_with_prefetch();
  CHECK(trace_through_l2(gpu, node_ring({512, 384, 256, 128, 0}), 5) == "DDDDD");
  constexpr std::int64_t page = std::int64_t{2} << 20;
  CHECK(trace_through_l2(gpu, node_ring({page - 256, page - 128, page, page + 128}), 4) == "D2D2");
}

TEST_CASE("a prefetch brings lines as a whole, that of the load included") {
  Gpu gpu = gpu_with_prefetch();
  gpu.l2.cache.sector_size = gpu.l2.cache.fetch_granularity = 32;
  CHECK(trace_through_l2(gpu, stride_ring(32, 128), 128) == "D" + repeated('2', 127));
  gpu.l2.prefetch_size = 0;
  CHECK(trace_through_l2(gpu, stride_ring(32, 128), 128) == repeated('D', 128));
}

TEST_CASE("each partition prefetches what is at home there") {
  Gpu gpu = gpu_with_prefetch();
  gpu.l2.partitions = 2;
  gpu.l2.home_masks = {0x200};  // four lines here, four lines there
  gpu.l2.far_latency = 300;
  gpu.dram.far_latency = 500;
  chase::Program program = timed_chase(stride_ring(128, 8), 8);
  program.actors[0] = {0, chase::Path::global_cg, 1};
  const auto latencies = run(gpu, program, quiet).traces[0].latency;
  const std::vector<std::uint32_t> near_first{400, 200, 200, 200, 500, 300, 300, 300};
  const std::vector<std::uint32_t> far_first{500, 300, 300, 300, 400, 200, 200, 200};
  CHECK((latencies == near_first || latencies == far_first));
}

}  // namespace
}  // namespace tomograph::sim
