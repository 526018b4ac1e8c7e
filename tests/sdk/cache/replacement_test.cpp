#include "tomograph/cache/replacement.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "catch.hpp"
#include "simulated_cache.hpp"
#include "tomograph/analysis/tree_plru.hpp"

namespace {

using namespace tomograph;
using namespace tomograph::testing;

cache::Replacement policy_of(const sim::Gpu& gpu) {
  const auto execute = executor_of(gpu);
  const auto subject = l1_subject(execute);
  const auto groups = cache::conflict_groups(execute, subject, search);
  const auto sets = cache::recover_sets(execute, subject, search, groups);
  REQUIRE(sets);
  return cache::replacement(execute, subject, 128, groups, *sets);
}

cache::Replacement policy_of(const sim::Replacement& replacement) {
  sim::Gpu gpu = small_gpu();
  gpu.caches[0].cache.replacement = replacement;
  return policy_of(gpu);
}

/// The policy of a cache with one set, by whether visits of lines from 0 on hit. Simulated GPUs lack some policies.
cache::Replacement policy_of_set(std::int64_t ways,
                                 const std::function<std::vector<bool>(std::span<const std::int64_t>)>& hits_of) {
  const cache::Executor execute = [&](std::span<const chase::Program> programs) {
    std::vector<chase::Result> results;
    for (const chase::Program& program : programs) {
      std::vector<std::int64_t> visited;
      for (const chase::Phase& phase : program.phases) {
        const auto nodes = chase::node_offsets(program.rings[static_cast<std::size_t>(phase.ring)]);
        for (std::int64_t i = 0; i < phase.loads; ++i) {
          visited.push_back(nodes[static_cast<std::size_t>(phase.first + i) % nodes.size()] / 64);
        }
      }
      const auto hits = hits_of(visited);
      chase::Result& result = results.emplace_back();
      std::size_t load = 0;
      for (const chase::Phase& phase : program.phases) {
        const bool timed = phase.timing == chase::Timing::each;
        if (timed) result.traces.emplace_back();
        const auto count = program.rings[static_cast<std::size_t>(phase.ring)].size();
        for (std::int64_t i = 0; i < phase.loads; ++i, ++load) {
          if (!timed) continue;
          result.traces.back().latency.push_back(hits[load] ? 30 : 200);
          result.traces.back().node.push_back(static_cast<std::uint32_t>((phase.first + i) % count));
        }
      }
    }
    return results;
  };
  const cache::Subject subject{.path = chase::Path::constant, .threshold = {100, 1e-4, 1e-4}};
  cache::Sets sets{.index = {}, .set_ways = {ways}};
  std::vector<cache::ConflictGroup> groups;
  for (std::int64_t group = 0; group < 10; ++group) {
    groups.emplace_back();
    for (std::int64_t line = 0; line <= ways; ++line) groups.back().lines.push_back(group * (ways + 1) + line);
  }
  return cache::replacement(execute, subject, 64, groups, sets);
}

}  // namespace

TEST_CASE("replacement is recovered from lines of the smallest sectors") {
  sim::Gpu gpu = small_gpu();
  gpu.caches[0].cache.sector_size = gpu.caches[0].cache.fetch_granularity = 16;
  for (const auto& [policy, name] :
       {std::pair{sim::Replacement::Policy::lru, "lru"}, std::pair{sim::Replacement::Policy::fifo, "fifo"},
        std::pair{sim::Replacement::Policy::tree_plru, "tree-plru"}}) {
    gpu.caches[0].cache.replacement.policy = policy;
    CHECK(policy_of(gpu).policy == name);
  }
}

TEST_CASE("replacement policies are told apart") {
  using Policy = sim::Replacement::Policy;
  CHECK(policy_of({Policy::lru, {}, 0}).policy == "lru");
  CHECK(policy_of({Policy::fifo, {}, 0}).policy == "fifo");
  CHECK(policy_of({Policy::random, {}, 0}).policy == "random");
  const auto segmented = policy_of({Policy::segmented_lru, {}, 2});
  CHECK(segmented.policy == "segmented-lru");
  CHECK(segmented.protected_ways == 2);
}

TEST_CASE("sets of more than two ways tell the policy, though there are more of two, where tree-PLRU is LRU") {
  sim::Gpu gpu = small_gpu();
  gpu.caches[0].cache.replacement.policy = sim::Replacement::Policy::tree_plru;
  gpu.caches[0].cache.set_ways = {2, 4, 2, 4, 2, 2, 4, 2, 2, 4, 2, 4, 2, 2, 4, 2};
  CHECK(policy_of(gpu).policy == "tree-plru");
}

TEST_CASE("tree-PLRU is told from other policies that are not LRU") {
  CHECK(policy_of_set(8, [](std::span<const std::int64_t> visited) {
          return analysis::tree_plru_hits(visited, 8);
        }).policy == "tree-plru");
}

TEST_CASE("a deterministic policy whose victims depend on hits has no shares of ways") {
  // LIP (Qureshi et al., ISCA 2007): a new line is the next victim unless it is used again. A walk replaces one way
  // only.
  const auto found = policy_of_set(4, [](std::span<const std::int64_t> visited) {
    std::vector<std::int64_t> stack;  // the next victim comes last
    std::vector<bool> hits;
    for (const std::int64_t line : visited) {
      const auto held = std::ranges::find(stack, line);
      hits.push_back(held != stack.end());
      if (hits.back()) {
        std::rotate(stack.begin(), held, held + 1);
      } else {
        if (stack.size() == 4) stack.pop_back();
        stack.push_back(line);
      }
    }
    return hits;
  });
  CHECK(found.policy == "not-lru");
  CHECK(found.way_probability.empty());
}

TEST_CASE("a fixed order of victims is recovered with the shares of the ways (Mei and Chu 2017, Fig. 11)") {
  sim::Gpu gpu = small_gpu();
  gpu.caches[0].cache.replacement = {.policy = sim::Replacement::Policy::way_order, .way_order = {1, 2, 1, 0, 1, 3}};
  const auto found = policy_of(gpu);
  CHECK(found.policy == "way-order");
  CHECK(found.way_order == std::vector<std::size_t>{1, 2, 1, 0, 1, 3});
  REQUIRE(found.way_probability.size() == 4);
  for (const std::size_t way : {0U, 2U, 3U}) CHECK(found.way_probability[way] == Approx(1. / 6));
  CHECK(found.way_probability[1] == Approx(1. / 2));
}

TEST_CASE("way probabilities come out within 0.03") {
  const auto weighted = policy_of({sim::Replacement::Policy::way_weighted, {1. / 6, 1. / 2, 1. / 6, 1. / 6}, 0});
  CHECK(weighted.policy == "way-weighted");
  auto found = weighted.way_probability;
  std::ranges::sort(found);
  REQUIRE(found.size() == 4);
  for (const std::size_t way : {0U, 1U, 2U}) CHECK(found[way] == Approx(1. / 6).margin(0.03));
  CHECK(found[3] == Approx(1. / 2).margin(0.03));
}
