#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <set>
#include <utility>

#include "catch.hpp"
#include "simulated_cache.hpp"
#include "tomograph/analysis/delays.hpp"
#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/cache/capacity.hpp"
#include "tomograph/cache/fill.hpp"
#include "tomograph/cache/hit_and_miss.hpp"
#include "tomograph/cache/line.hpp"
#include "tomograph/cache/tagging.hpp"

namespace {

using namespace tomograph;
using namespace tomograph::testing;

const cache::Subject l2_subject{.path = chase::Path::global_cg, .shared = true, .sm = 0};

}  // namespace

TEST_CASE("fetch granularity, line and capacity come out whatever the index hashes") {
  const auto execute = executor_of(small_gpu());
  const auto subject = l1_subject(execute);
  const auto fill = cache::private_fill(execute, subject, chase::Path::global_cg);
  REQUIRE(fill);
  CHECK(fill->granularity == 32);
  CHECK(cache::evicted_together(execute, subject, 32, 8192).bytes == 128);
  const auto capacity = cache::capacity(execute, subject, 128, 1024, 1 << 20);
  REQUIRE(capacity);
  CHECK(capacity->sharp);
  CHECK(capacity->bytes(128) == 8192);
}

TEST_CASE("a line that is prefetched behind each miss is not part of what a miss fetches") {
  const cache::Executor execute = [](std::span<const chase::Program> programs) {
    std::vector<chase::Result> results;
    for (const chase::Program& program : programs) {
      chase::Result::Trace trace;
      std::set<std::int64_t> held;
      for (const std::int64_t node : chase::node_offsets(program.rings.front())) {
        trace.latency.push_back(held.contains(node / 32) ? 30 : 200);
        trace.node.push_back(static_cast<std::uint32_t>(trace.node.size()));
        if (trace.latency.back() == 200) held.insert({node / 32, node / 32 + 1});
      }
      results.push_back({.traces = {trace}});
    }
    return results;
  };
  const cache::Subject subject{.threshold = {.cycles = 100}};
  CHECK(cache::private_fill(execute, subject, chase::Path::global_cg)->granularity == 32);
  CHECK(cache::cold_fill(execute, subject)->granularity == 32);
}

TEST_CASE("bytes that a cache behind holds are not taken for what a miss fetches") {
  // A cache between L2 and memory fetches 128 B, L2 `fetched` of them.
  const auto walk = [](std::int64_t fetched) {
    return cache::Executor([fetched](std::span<const chase::Program> programs) {
      std::vector<chase::Result> results;
      for (const chase::Program& program : programs) {
        chase::Result::Trace trace;
        std::set<std::int64_t> near;
        std::set<std::int64_t> behind;
        for (const std::int64_t node : chase::node_offsets(program.rings.front())) {
          const bool is_near = !near.insert(node / fetched).second;
          const bool is_behind = !behind.insert(node / 128).second;
          // Slices are up to 20 cycles apart.
          trace.latency.push_back((is_near     ? 200U
                                   : is_behind ? 270U
                                               : 600U) +
                                  static_cast<std::uint32_t>(node / 64 % 20));
          trace.node.push_back(static_cast<std::uint32_t>(trace.node.size()));
        }
        results.push_back({.traces = {trace}});
      }
      return results;
    });
  };
  cache::Subject subject = l2_subject;
  subject.threshold = {.cycles = 400};
  CHECK(cache::cold_fill(walk(64), subject)->served_behind(400) == std::vector<std::int64_t>{64});
  CHECK(cache::cold_fill(walk(32), subject)->served_behind(400) == std::vector<std::int64_t>{32, 64, 96});
  CHECK(cache::cold_fill(walk(128), subject)->served_behind(400).empty());
}

TEST_CASE("a single line too many is seen among thousands") {
  sim::Gpu gpu = small_gpu();
  gpu.caches[0].cache.index = {sim::Index::Kind::bits, {7, 8, 9, 10, 11, 12, 13, 14, 15}, {}};
  gpu.caches[0].cache.set_ways.assign(512, 12);
  const auto execute = executor_of(gpu);
  auto subject = l1_subject(execute);
  subject.shared = true;  // so that one program may test many lines
  const auto capacity = cache::capacity(execute, subject, 128, 524288, 1 << 21);
  REQUIRE(capacity);
  CHECK(capacity->bytes(128) == 512 * 12 * 128);
}

TEST_CASE("a device that keeps few timed loads is asked to time few in each program") {
  std::int64_t most = 0;
  const auto execute = executor_of(small_gpu());
  const cache::Executor counting = [&](std::span<const chase::Program> programs) {
    for (const chase::Program& program : programs) {
      std::int64_t timed = 0;
      for (const auto& phase : program.phases) timed += phase.timing == chase::Timing::each ? phase.loads : 0;
      most = std::max(most, timed);
    }
    return execute(programs);
  };
  auto subject = l1_subject(execute);
  subject.shared = true;
  subject.most_timed = 512;
  const cache::Footprint footprint{
      .ring = {.stride = 128, .count = 2048}, .bytes = 2048 * 128, .samples = 2048, .share = 1};
  CHECK(cache::retained(counting, subject, {&footprint, 1}).front().sampled == 2048);
  CHECK(most <= 512);
}

TEST_CASE("first loads behind a prefetch go where it brought nothing, and miss") {
  // Mei & Chu 2017, section 4.6: two thirds of the L2. Lines so narrow that a flush leaves ways empty for it.
  constexpr std::int64_t size = 256 * 16 * 32;
  sim::Gpu gpu = small_gpu();
  gpu.l2.cache.line_size = gpu.l2.cache.sector_size = gpu.l2.cache.fetch_granularity = 32;
  gpu.l2.prefetch_size = size * 2 / 3;
  const auto execute = executor_of(gpu);
  const auto seen = cache::shared_hit_and_miss(execute, l2_subject, size, 2);
  REQUIRE(seen.threshold);
  CHECK(seen.threshold->false_hit < 0.01);
  CHECK(analysis::median(seen.misses) == Approx(500).margin(5));
  cache::Subject subject = l2_subject;
  subject.threshold = *seen.threshold;
  const auto fill = cache::shared_fill(execute, subject, size);
  REQUIRE(fill);
  CHECK(fill->granularity == 32);
}

TEST_CASE("lines of 512 B that misses fetch as a whole are not taken for no cache at all") {
  sim::Gpu gpu = small_gpu();
  auto& l1 = gpu.caches[0].cache;
  l1.line_size = l1.sector_size = l1.fetch_granularity = 512;
  l1.index = {sim::Index::Kind::bits, {9, 10, 11, 12}, {}};
  const auto execute = executor_of(gpu);
  const auto subject = l1_subject(execute);
  const auto fill = cache::private_fill(execute, subject, chase::Path::global_cg);
  REQUIRE(fill);
  CHECK(fill->granularity == 512);
  CHECK(cache::evicted_together(execute, subject, 512, 32768).bytes == 512);
}

TEST_CASE("a delayed load in one of three passes moves no SM's latency") {
  const auto execute = executor_of(small_gpu());
  bool delayed = false;
  const cache::Executor delaying = [&](std::span<const chase::Program> programs) {
    auto results = execute(programs);
    if (!std::exchange(delayed, true)) results.front().totals.front() += 20'000;
    return results;
  };
  const std::vector<double> quiet = cache::shared_hit_and_miss(execute, l2_subject, 1 << 20, 2).cycles_by_sm();
  CHECK(cache::shared_hit_and_miss(delaying, l2_subject, 1 << 20, 2).cycles_by_sm() == quiet);
}

TEST_CASE("hits of L2 are told from misses in 8 MiB of memory") {
  sim::Gpu gpu = small_gpu();
  gpu.dram.size = std::int64_t{8} << 20;
  cache::Subject subject = l2_subject;
  subject.largest = *gpu.dram.size;
  const auto seen = cache::shared_hit_and_miss(executor_of(gpu), subject, 1 << 20, 2);
  REQUIRE(seen.threshold);
  CHECK(seen.threshold->false_hit < 0.01);
  CHECK(seen.threshold->false_miss < 0.01);
}

/// Delays one load in so many, by 5000 cycles.
cache::Executor delaying(cache::Executor execute, int one_in) {
  return [execute = std::move(execute), one_in](std::span<const chase::Program> programs) {
    constexpr std::uint32_t delay = 5000;
    std::mt19937 random(static_cast<unsigned>(programs.size()));
    std::bernoulli_distribution is_late(1.0 / one_in);
    auto results = execute(programs);
    for (chase::Result& result : results) {
      for (double& total : result.totals) {
        total += double{delay} * std::binomial_distribution(static_cast<int>(cache::total_loads), 1.0 / one_in)(random);
      }
      for (chase::Result::Trace& trace : result.traces) {
        for (std::uint32_t& cycles : trace.latency) cycles += is_late(random) ? delay : 0;
      }
    }
    return results;
  };
}

TEST_CASE("delayed loads in most chains show, and single loads that none delays tell the latency") {
  const auto execute = executor_of(small_gpu());
  const auto seen_by = [](const cache::Executor& executor) {
    return std::array{cache::private_hit_and_miss(executor, {}, chase::Path::global_cg, 2),
                      cache::shared_hit_and_miss(executor, l2_subject, 1 << 20, 2)};
  };
  for (const auto& seen : seen_by(delaying(execute, 100'000))) CHECK_FALSE(seen.most_totals_are_late());
  const auto quiet = seen_by(execute);
  const auto late = seen_by(delaying(execute, 1000));
  for (std::size_t i = 0; i < quiet.size(); ++i) {
    CHECK(late[i].most_totals_are_late());
    CHECK(late[i].cycles_by_sm().front() > quiet[i].cycles_by_sm().front() + 1);
    CHECK(late[i].mean_in_time() == Approx(quiet[i].mean_in_time()));
  }
}

TEST_CASE("chains whose lines lie elsewhere at each pass are not delayed, though they differ") {
  std::mt19937 random(1);
  const cache::Executor moving = [&, execute = executor_of(small_gpu())](std::span<const chase::Program> programs) {
    std::uniform_int_distribution<std::uint32_t> farther(0, 40);
    auto results = execute(programs);
    for (chase::Result& result : results) {
      const std::uint32_t cycles = farther(random);
      for (double& total : result.totals) total += double{cache::total_loads} * cycles;
      for (chase::Result::Trace& trace : result.traces) {
        for (std::uint32_t& one : trace.latency) one += cycles;
      }
    }
    return results;
  };
  for (int draw = 0; draw < 20; ++draw) {
    CHECK_FALSE(cache::shared_hit_and_miss(moving, l2_subject, 1 << 20, 2).most_totals_are_late());
  }
}

/// Three totals of each of 15 SMs, each with so many loads delayed by 8000 cycles on average, and single loads that
/// none delays.
cache::HitAndMiss hits_with_delays(std::mt19937& random, double delayed_loads) {
  constexpr std::int64_t sm_count = 15;
  constexpr double latency = 140;
  constexpr double delay = 8000;
  std::poisson_distribution<int> delays(delayed_loads);
  std::vector<chase::Result> results;
  for (std::int64_t program = 0; program < 3 * sm_count; ++program) {
    chase::Result result;
    result.sms = {program % sm_count};
    result.totals = {latency * static_cast<double>(cache::total_loads) + delay * delays(random)};
    result.traces = {{.latency = std::vector<std::uint32_t>(32, 140), .node = {}}};
    results.push_back(std::move(result));
  }
  return cache::hits_of(results, sm_count);
}

TEST_CASE("three chains of an SM show that most are delayed, however alike two of them are, and that few are") {
  std::mt19937 random(1);
  for (int draw = 0; draw < 1000; ++draw) {
    CHECK(hits_with_delays(random, 2).most_totals_are_late());
    CHECK_FALSE(hits_with_delays(random, 0.04).most_totals_are_late());
  }
}

TEST_CASE(
    "a hit that missed a TLB is above the threshold, and still tells what a miss adds; what missed twice does not") {
  cache::HitAndMiss seen;
  seen.threshold = analysis::Threshold{400, 0, 0};
  seen.misses = {500, 560, 580, 505, 390};
  seen.again = {300, 350, 405, 480, 300};
  CHECK(seen.penalties().cycles == std::vector<double>{200, 210, 175});
  seen.far_hits_are_misses = true;
  CHECK(seen.penalties().cycles == std::vector<double>{200, 210});
}

TEST_CASE(
    "first loads that miss a TLB more often than the next loads do not add the TLB's misses to those of the cache") {
  constexpr double hit = 250;
  constexpr double penalty = 360;
  for (const double of_tlb : {60.0, 165.0, 240.0}) {
    cache::HitAndMiss seen;
    seen.threshold = analysis::Threshold{hit + penalty / 2, 0, 0};
    for (int load = 0; load < 1000; ++load) {
      const double jitter = load % 7;
      seen.misses.push_back(hit + penalty + jitter + (load % 3 == 0 ? of_tlb : 0));
      seen.again.push_back(hit + jitter + (load % 10 == 0 ? of_tlb : 0));
    }
    const auto found = seen.penalties().cycles;
    INFO(of_tlb);
    CHECK(found.size() > 500);
    CHECK(analysis::delays(found).mean == Approx(penalty).margin(1));
  }
}

TEST_CASE("intervals of all SMs together cover the truth as often as claimed, also if one in 200 passes is delayed") {
  constexpr std::size_t sms = 40;
  constexpr double cycles = 250;
  constexpr double deviation = 40;
  constexpr double lines = 1024;
  constexpr int runs = 2000;
  std::mt19937_64 random(1);
  std::normal_distribution<double> of_lines(0, deviation / std::sqrt(lines));
  std::bernoulli_distribution is_delayed(0.005);
  int covered = 0;
  double widest = 0;
  for (int run = 0; run < runs; ++run) {
    cache::HitAndMiss seen;
    seen.line_deviation = deviation;
    for (std::size_t sm = 0; sm < sms; ++sm) {
      auto& one = seen.by_sm.emplace_back();
      const double mean = cycles + of_lines(random);
      for (int pass = 0; pass < 3; ++pass) one.passes.push_back(mean + (is_delayed(random) ? 10 : 0));
      one.cycles = analysis::median(one.passes);
    }
    const auto intervals = seen.intervals_by_sm(0.99);
    const auto covers = [&](const analysis::Interval& one) { return one.low <= cycles && cycles <= one.high; };
    covered += std::ranges::all_of(intervals, covers) ? 1 : 0;
    widest = std::max(widest, intervals.front().high - intervals.front().low);
  }
  CHECK(covered > 0.98 * runs);
  CHECK(widest < 0.1 * cycles);
}

TEST_CASE("the knee of a cache too large to count lies in the bracket, and what it retains within three errors") {
  constexpr std::int64_t size = 2048 * 13 * 32;
  sim::Gpu gpu = small_gpu();
  gpu.l2.cache.line_size = gpu.l2.cache.sector_size = gpu.l2.cache.fetch_granularity = 32;
  gpu.l2.cache.set_ways.assign(2048, 13);
  const auto execute = executor_of(gpu);
  cache::Subject subject = l2_subject;
  subject.threshold = *cache::shared_hit_and_miss(execute, subject, 4 * size, 2).threshold;
  const auto capacity = cache::capacity(execute, subject, 32, 16384, 4 * size);
  REQUIRE(capacity);
  CHECK(capacity->sampled);
  CHECK(capacity->first_miss_bytes <= size);
  CHECK(capacity->missing_bytes > size);
  CHECK(capacity->retained_bytes == Approx(size).margin(3 * capacity->retained_error));
  CHECK(capacity->retained_error < 0.01 * size);
}

TEST_CASE("the lines of a conflict group overflow together and fit without any one of them") {
  const auto execute = executor_of(small_gpu());
  const auto groups = cache::conflict_groups(execute, l1_subject(execute), search);
  REQUIRE(groups.size() > 2);
  for (const auto& group : groups) {
    CHECK(group.ways() == 4);
    std::set<unsigned> sets;
    for (const std::int64_t line : group.lines) {
      unsigned set = 0;
      for (const std::uint64_t mask : {0x10080U, 0x8100U, 0x4200U, 0x2400U}) {
        set = 2 * set + static_cast<unsigned>(__builtin_parityll(mask & static_cast<std::uint64_t>(line * 128)));
      }
      sets.insert(set);
    }
    CHECK(sets.size() == 1);
  }
}

TEST_CASE("a hashed index is recovered up to the numbering of its sets, with the ways of each") {
  const auto execute = executor_of(small_gpu());
  const auto subject = l1_subject(execute);
  const auto sets = cache::recover_sets(execute, subject, search, cache::conflict_groups(execute, subject, search));
  REQUIRE(sets);
  CHECK(sets->set_ways == std::vector<std::int64_t>(16, 4));
  CHECK_FALSE(sets->index.plain_bits);
  const std::vector<std::uint64_t> masks{0x10080, 0x8100, 0x4200, 0x2400};
  CHECK(sets->index.masks == analysis::basis(masks));
}

TEST_CASE("a set whose walks have not settled is asked again, and has as many ways as the others") {
  const auto execute = executor_of(small_gpu());
  const auto subject = l1_subject(execute);
  const auto groups = cache::conflict_groups(execute, subject, search);
  const auto sets = cache::recover_sets(execute, subject, search, groups);
  REQUIRE(sets);
  const auto lines = cache::lines_by_set(*sets, search.line_bytes, subject.indexed_region());
  // Whatever begins with the first set's first line: of three or four lines, a walk fits only after seven misses.
  const std::int64_t first = lines.front().front() * search.line_bytes;
  int unsettled = 7;
  const cache::Executor unsettling = [&](std::span<const chase::Program> programs) {
    auto results = execute(programs);
    for (std::size_t i = 0; i < programs.size(); ++i) {
      const auto& nodes = programs[i].rings.front().nodes;
      if (nodes.empty() || nodes.front() != first || nodes.size() < 3 || nodes.size() > 4) continue;
      if (unsettled-- > 0) results[i].traces.front().latency.back() += 10'000;
    }
    return results;
  };
  const auto again = cache::recover_sets(unsettling, subject, search, groups);
  REQUIRE(again);
  CHECK(unsettled <= 0);
  CHECK(again->set_ways == std::vector<std::int64_t>(16, 4));
}

TEST_CASE("the highest bit of an array that is no power of two is part of its index") {
  sim::Gpu gpu = small_gpu();
  gpu.caches[0].cache.index.masks = {0x8400, 0x8200, 0x100, 0x80};
  const auto execute = executor_of(gpu);
  auto subject = l1_subject(execute);
  subject.largest = 65280;
  const auto sets = cache::recover_sets(execute, subject, search, cache::conflict_groups(execute, subject, search));
  REQUIRE(sets);
  const std::vector<std::uint64_t> masks{0x8400, 0x8200, 0x100, 0x80};
  CHECK(sets->index.masks == analysis::basis(masks));
}

TEST_CASE("the highest bit that few lines of an array have is left out of the search for sets") {
  const cache::Subject subject{.largest = 36 << 10};
  CHECK(subject.indexed_region() == 32 << 10);
  CHECK(subject.indexed_bits() == 0x7fff);
}

TEST_CASE("sets that a remainder selects are recovered, be their ways unequal") {
  sim::Gpu gpu = small_gpu();
  gpu.caches[0].cache.index = {sim::Index::Kind::modulo, {}, {}};
  gpu.caches[0].cache.set_ways = {4, 4, 3, 4, 2};
  const auto execute = executor_of(gpu);
  const auto subject = l1_subject(execute);
  const cache::SetSearch five{.line_bytes = 128, .capacity_lines = 17, .budget = 10'000'000};
  auto sets = cache::recover_sets(execute, subject, five, cache::conflict_groups(execute, subject, five));
  REQUIRE(sets);
  CHECK(sets->modulus == 5);
  CHECK(sets->confirming >= 8);
  // The first line of the region need not be in the first set.
  auto& ways = sets->set_ways;
  std::rotate(ways.begin(), std::ranges::find(ways, 2) + 1, ways.end());  // Clang 14 has no ranges::rotate
  CHECK(sets->set_ways == std::vector<std::int64_t>{4, 4, 3, 4, 2});
}

TEST_CASE("sets that neither XORs nor a remainder select are not claimed") {
  sim::Gpu gpu = small_gpu();
  gpu.caches[0].cache.index = {sim::Index::Kind::dealt, {}, {}};
  gpu.caches[0].cache.set_ways = {9, 4, 3};
  const auto execute = executor_of(gpu);
  const auto subject = l1_subject(execute);
  const cache::SetSearch three{.line_bytes = 128, .capacity_lines = 16, .budget = 10'000'000};
  const auto groups = cache::conflict_groups(execute, subject, three);
  REQUIRE(groups.size() > 2);
  CHECK_FALSE(cache::recover_sets(execute, subject, three, groups));
}

TEST_CASE("of a cache that loses lines before its sets are full the capacity is found, and no sets are claimed") {
  sim::Gpu gpu = small_gpu();
  gpu.caches[0].cache.replacement = {.policy = sim::Replacement::Policy::not_recently_used, .recent_ways = 2};
  const auto execute = executor_of(gpu);
  const auto subject = l1_subject(execute);
  const auto capacity = cache::capacity(execute, subject, 128, 1024, 1 << 20);
  REQUIRE(capacity);
  CHECK(capacity->bytes(128) == 8192);
  CHECK(cache::conflict_groups(execute, subject, search).empty());
}

TEST_CASE(
    "lines found by physical address are told from others though a miss of the TLB takes longer than one of the "
    "cache") {
  sim::Gpu gpu = small_gpu();
  gpu.translation.tlb = {sim::tlb(2097152, {16}, 400)};
  for (const bool is_virtual : {false, true}) {
    gpu.caches[0].virtually_tagged = is_virtual;
    const auto execute = executor_of(gpu);
    const auto seen = cache::load_through_alias(execute, l1_subject(execute));
    CHECK(seen.control_hits == seen.control_loads);
    CHECK(seen.hits == (is_virtual ? 0 : seen.loads));
  }
}
