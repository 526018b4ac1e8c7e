#include <algorithm>
#include <random>
#include <set>

#include "catch.hpp"
#include "simulated_cache.hpp"
#include "tomograph/cache/sets.hpp"

namespace {

using namespace tomograph;
using namespace tomograph::testing;

unsigned set_of(std::int64_t line) {
  unsigned set = 0;
  for (const std::uint64_t mask : {0x10080U, 0x8100U, 0x4200U, 0x2400U}) {
    set = 2 * set + static_cast<unsigned>(__builtin_parityll(mask & static_cast<std::uint64_t>(line * 128)));
  }
  return set;
}

/// Lets one load of each program to which `disturbed` applies take long, with a probability.
template <typename Applies>
cache::Executor disturbing(cache::Executor execute, double probability, Applies disturbed) {
  return [=, random = std::mt19937_64(1)](std::span<const chase::Program> programs) mutable {
    auto results = execute(programs);
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (!disturbed(programs[i]) || std::uniform_real_distribution<>{}(random) >= probability) continue;
      results[i].traces.back().latency.back() = 1000;
    }
    return results;
  };
}

}  // namespace

TEST_CASE("pools that seem to evict by chance do not lead the search astray") {
  const auto quiet = executor_of(small_gpu());
  const auto subject = l1_subject(quiet);
  // A pool of many lines evicts a line that it does not conflict with in one test of ten.
  const auto execute =
      disturbing(quiet, 0.1, [](const chase::Program& program) { return program.rings.front().size() > 40; });
  const auto groups = cache::conflict_groups(execute, subject, search);
  CHECK(groups.size() >= 10);
  for (const auto& group : groups) {
    CHECK(group.ways() == 4);
    std::set<unsigned> sets;
    for (const std::int64_t line : group.lines) sets.insert(set_of(line));
    CHECK(sets.size() == 1);
  }
}

TEST_CASE("a search that cannot succeed ends within its budget") {
  const auto quiet = executor_of(small_gpu());
  const auto subject = l1_subject(quiet);
  std::int64_t loads = 0;
  // Many lines evict each other, fewer never do: no part of a pool can be spared.
  const cache::Executor execute = [&](std::span<const chase::Program> programs) {
    auto results = quiet(programs);
    for (std::size_t i = 0; i < results.size(); ++i) {
      for (const auto& phase : programs[i].phases) loads += phase.loads;
      const bool evicts = programs[i].rings.front().size() > search.capacity_lines;
      for (auto& trace : results[i].traces) std::ranges::fill(trace.latency, evicts ? 1000U : 30U);
    }
    return results;
  };
  constexpr std::int64_t budget = 500'000;
  const cache::SetSearch bounded{.line_bytes = 128, .capacity_lines = 64, .budget = budget};
  CHECK(cache::conflict_groups(execute, subject, bounded).empty());
  CHECK(loads < 2 * budget);
}

TEST_CASE("a set that lacks a way is told from those that have them all") {
  sim::Gpu gpu = small_gpu();
  gpu.caches[0].cache.set_ways[5] = 3;
  const auto execute = executor_of(gpu);
  const auto subject = l1_subject(execute);
  const auto sets = cache::recover_sets(execute, subject, search, cache::conflict_groups(execute, subject, search));
  REQUIRE(sets);
  auto ways = sets->set_ways;
  std::ranges::sort(ways);
  std::vector<std::int64_t> expected(16, 4);
  expected.front() = 3;
  CHECK(ways == expected);
}

TEST_CASE("a delayed load costs no set a way") {
  const auto quiet = executor_of(small_gpu());
  const auto subject = l1_subject(quiet);
  const auto groups = cache::conflict_groups(quiet, subject, search);
  const auto execute = disturbing(quiet, 0.1, [](const chase::Program&) { return true; });
  const auto sets = cache::recover_sets(execute, subject, search, groups);
  REQUIRE(sets);
  CHECK(sets->set_ways == std::vector<std::int64_t>(16, 4));
}

TEST_CASE("sets are found where a cache has room for fewer lines than it has tags") {
  sim::Gpu gpu = small_gpu();
  gpu.caches[0].cache.set_ways.clear();
  gpu.caches[0].carveouts =
      sim::Carveouts{.sram = 8192, .shared_memory = {0}, .reserved = {768}, .default_size = 0, .sets = 16, .ways = 4};
  const auto execute = executor_of(gpu);
  const auto subject = l1_subject(execute);
  for (std::int64_t capacity = 56; capacity <= 60; ++capacity) {
    const cache::SetSearch about{.line_bytes = 128, .capacity_lines = capacity, .budget = 10'000'000};
    const auto sets = cache::recover_sets(execute, subject, about, cache::conflict_groups(execute, subject, about));
    REQUIRE(sets);
    CHECK(sets->set_ways == std::vector<std::int64_t>(16, 4));
  }
}
