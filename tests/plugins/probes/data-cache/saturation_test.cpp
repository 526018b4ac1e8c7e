#include <array>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "acquire_saturation.hpp"
#include "analysis_size.hpp"
#include "catch.hpp"
#include "sdk/cache/simulated_cache.hpp"

using namespace tomograph;
using namespace tomograph::testing;

namespace {

/// An LRU cache of lines of 128 B in `sets` sets of two ways, each line in one of them by chance.
cache::Executor executor_of_scrambled_sets(std::size_t sets) {
  constexpr std::size_t lines_of_memory = std::size_t{1} << 16;
  std::mt19937_64 random;
  std::vector<std::size_t> set_of_line;
  for (std::size_t line = 0; line < lines_of_memory; ++line) set_of_line.push_back(random() % sets);
  return [sets, set_of_line](std::span<const chase::Program> programs) {
    std::vector<chase::Result> results;
    for (const chase::Program& program : programs) {
      std::vector<std::array<std::int64_t, 2>> lines(sets, {-1, -1});
      const auto hits = [&](std::int64_t address) {
        const std::int64_t line = address / 128;
        auto& [newer, older] = lines[set_of_line.at(static_cast<std::size_t>(line))];
        const bool hit = newer == line || older == line;
        if (newer != line) older = std::exchange(newer, line);
        return hit;
      };
      chase::Result& result = results.emplace_back();
      for (const chase::Phase& phase : program.phases) {
        const auto nodes = chase::node_offsets(program.rings[static_cast<std::size_t>(phase.ring)]);
        chase::Result::Trace trace;
        for (std::int64_t load = 0; load < phase.loads; ++load) {
          const auto node = static_cast<std::size_t>(phase.first + load) % nodes.size();
          trace.latency.push_back(hits(nodes[node]) ? 30 : 200);
          trace.node.push_back(static_cast<std::uint32_t>(node));
        }
        if (phase.timing == chase::Timing::each) result.traces.push_back(std::move(trace));
      }
    }
    return results;
  };
}

}  // namespace

TEST_CASE("what stays of more lines than fit is the capacity, also where lines are lost before it is full") {
  using Policy = sim::Replacement::Policy;
  for (const Policy policy : {Policy::lru, Policy::fifo, Policy::random}) {
    sim::Gpu gpu = small_gpu();
    gpu.caches[0].cache.replacement.policy = policy;
    const auto execute = executor_of(gpu);
    const auto seen = data_cache::saturation(execute, l1_subject(execute), 128, 1024, 1 << 20, 8000);
    REQUIRE(seen);
    CHECK(seen->full.mean == Approx(8192).epsilon(0.015));
    CHECK(seen->tests > 4000);
  }
  // Of 64 lines in sets chosen by bits that they do not vary, only those of one set stay; at random places all do.
  sim::Gpu gpu = small_gpu();
  gpu.caches[0].cache.index = {sim::Index::Kind::bits, {17, 18, 19, 20}, {}};
  const auto execute = executor_of(gpu);
  const auto seen = data_cache::saturation(execute, l1_subject(execute), 128, 256, 1 << 20, 8000);
  REQUIRE(seen);
  CHECK(seen->full.mean == Approx(8192).epsilon(0.05));
  CHECK(seen->at_knee.mean < 0.95 * seen->full.mean);
}

TEST_CASE("a capacity that a few rough tests take for half of the true one is found all the same") {
  const auto execute = executor_of(small_gpu());
  const cache::Subject l1 = l1_subject(execute);
  for (std::int64_t start = 8192; start < 16384; start += 256) {
    const auto seen = data_cache::saturation(execute, l1, 128, start, 1 << 20, 400);
    REQUIRE(seen);
    CHECK(seen->full.mean == Approx(8192).epsilon(0.2));
  }
}

TEST_CASE("where lines fall into sets by chance, the capacity is counted where all sets are full") {
  const auto execute = executor_of_scrambled_sets(127);
  cache::Subject subject;
  subject.threshold = analysis::Threshold{100, 0, 0};
  const auto seen = data_cache::saturation(execute, subject, 128, 4096, 1 << 20, 8000);
  REQUIRE(seen);
  CHECK(data_cache::fill_by_chance(std::vector{*seen}));
  const auto full = data_cache::far_beyond(execute, subject, 128, *seen, 8000);
  CHECK(std::abs(full.mean - 127 * 2 * 128) < 3 * full.error);
}

TEST_CASE("a cache that holds all that may be looked at has no capacity") {
  const auto execute = executor_of(small_gpu());
  CHECK_FALSE(data_cache::saturation(execute, l1_subject(execute), 128, 1024, 4096, 1000));
}
