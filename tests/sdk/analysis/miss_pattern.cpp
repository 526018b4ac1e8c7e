#include "tomograph/analysis/miss_pattern.hpp"

#include <algorithm>
#include <cmath>
#include <list>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include "catch.hpp"

using namespace tomograph::analysis;

namespace {

using Trace = std::vector<Access>;
constexpr Access H = Access::hit;
constexpr Access M = Access::miss;

/// Loads of a cyclic walk over `words` words in an LRU cache of `sets` sets of 2 ways with 2 words in a line, after one
/// pass that is left out: Mei & Chu 2017, Figs. 2 and 3.
Trace lru_walk(std::size_t words, std::size_t loads, std::size_t sets) {
  std::vector<std::list<std::size_t>> content(sets);
  Trace trace;
  for (std::size_t i = 0; i < words + loads; ++i) {
    const std::size_t line = i % words / 2;
    auto& set = content[line % sets];
    const auto found = std::find(set.begin(), set.end(), line);
    if (i >= words) trace.push_back(found == set.end() ? M : H);
    if (found != set.end()) set.erase(found);
    set.push_front(line);
    if (set.size() > 2) set.pop_back();
  }
  return trace;
}

struct SetTrace {
  Trace trace;
  std::vector<std::uint32_t> nodes;
};

/// Cyclic walk over ways + 1 lines of one set; `victim` picks the way that a miss replaces.
template <typename Victim>
SetTrace walk_one_set(std::size_t ways, std::size_t loads, Victim victim) {
  std::vector<std::uint32_t> content(ways);
  for (std::size_t way = 0; way < ways; ++way) content[way] = static_cast<std::uint32_t>(way);
  SetTrace walk;
  auto line = static_cast<std::uint32_t>(ways);
  for (std::size_t i = 0; i < loads; ++i, line = (line + 1) % static_cast<std::uint32_t>(ways + 1)) {
    const bool hit = std::find(content.begin(), content.end(), line) != content.end();
    if (!hit) content[victim()] = line;
    walk.trace.push_back(hit ? H : M);
    walk.nodes.push_back(3 + 32 * line);
  }
  return walk;
}

SetTrace weighted_walk(std::mt19937_64& random, const std::vector<double>& weights, std::size_t loads) {
  std::discrete_distribution<std::size_t> draw(weights.begin(), weights.end());
  return walk_one_set(weights.size(), loads, [&] { return draw(random); });
}

std::vector<double> shares(const std::vector<std::size_t>& victims) {
  const auto total = static_cast<double>(std::accumulate(victims.begin(), victims.end(), std::size_t{0}));
  std::vector<double> found;
  for (const std::size_t count : victims) found.push_back(static_cast<double>(count) / total);
  return found;
}

void flip(Access& access) { access = access == H ? M : H; }

}  // namespace

TEST_CASE("latencies above the threshold are misses") {
  CHECK(accesses(std::vector<std::uint32_t>{32, 100, 101, 280}, 100) == Trace{H, H, M, M});
}

TEST_CASE("13 words in the 12-word cache of the paper miss with period 13 at words 1, 7 and 13") {
  const Trace trace = lru_walk(13, 13 * 5, 3);
  const auto period = smallest_period(trace);
  REQUIRE(period);
  CHECK(period->length == 13);
  CHECK(period->pattern == Trace{M, H, H, H, H, H, M, H, H, H, H, H, M});
  CHECK(period->deviations == 0);
}

TEST_CASE("misread loads do not hide a period, and a period does not hide real misses") {
  Trace trace = lru_walk(13, 13 * 40, 3);
  flip(trace[100]);
  flip(trace[333]);
  CHECK_FALSE(smallest_period(trace));
  const auto period = smallest_period(trace, 0.005);
  REQUIRE(period);
  CHECK(period->length == 13);
  CHECK(period->deviations == 2);
}

TEST_CASE("a trace must fit the period several times") {
  const Trace trace{M, H, H, M, H, H, M, H, H};
  CHECK(smallest_period(trace)->length == 3);
  CHECK_FALSE(smallest_period(trace, 0, 4));
  CHECK_FALSE(smallest_period({}));
  CHECK_THROWS_AS(smallest_period(trace, 0, 1), std::invalid_argument);
  CHECK_THROWS_AS(smallest_period(trace, 0.5), std::invalid_argument);
}

TEST_CASE("input that does not fit together is refused") {
  const Trace trace{M, H};
  const std::vector<std::uint32_t> nodes{0};
  CHECK_THROWS_AS(classify_replacement(trace, nodes, 4), std::invalid_argument);
  CHECK_THROWS_AS(classify_replacement(trace, std::vector<std::uint32_t>{0, 1}, 4), std::invalid_argument);
}

TEST_CASE("the published Fermi trace reveals the published ways") {
  // Mei & Chu 2017, Fig. 11: the ways replaced are 2, 3, 2, 1, 2, 4, 2, 3; the last miss' victim is not seen.
  const Trace trace{M, H, M, M, H, M, M, H, M, M, H, M, M};
  const std::vector<std::uint32_t> nodes{129, 3, 35, 68, 100, 129, 3, 35, 68, 100, 129, 3, 35};
  const ReplacementVerdict verdict = classify_replacement(trace, nodes, 4);
  CHECK(verdict.victims == std::vector<std::size_t>{1, 4, 2, 1});
  CHECK(verdict.policy == Replacement::inconclusive);
}

TEST_CASE("the way probabilities of the Fermi L1 cache are recovered") {
  std::mt19937_64 random(43);
  const SetTrace walk = weighted_walk(random, {1, 3, 1, 1}, 8000);
  const ReplacementVerdict verdict = classify_replacement(walk.trace, walk.nodes, 4);
  CHECK(verdict.policy == Replacement::way_weighted);
  CHECK(verdict.confidence > 0.999);
  const std::vector<double> published{1.0 / 6, 1.0 / 2, 1.0 / 6, 1.0 / 6};
  CHECK(p_value_of_equal_ways(verdict.victims) < 1e-6);
  const std::vector<double> found = shares(verdict.victims);
  REQUIRE(found.size() == 4);
  for (std::size_t way = 0; way < 4; ++way) CHECK(found[way] == Approx(published[way]).margin(0.03));
}

TEST_CASE("the p-value of equal ways is Pearson's chi-squared test") {
  // (4 + 4) / 20 at one degree of freedom.
  CHECK(p_value_of_equal_ways(std::vector<std::size_t>{22, 18}) == Approx(0.527089).epsilon(1e-5));
  CHECK(p_value_of_equal_ways(std::vector<std::size_t>{7, 7, 7}) == Approx(1));
  CHECK(p_value_of_equal_ways(std::vector<std::size_t>{5}) == 1);
  CHECK(p_value_of_equal_ways(std::vector<std::size_t>{0, 0}) == 1);
}

TEST_CASE("victims of random replacement do not depend on the past, and those of other policies do") {
  std::mt19937_64 random(59);
  int independent = 0;
  for (int round = 0; round < 100; ++round) {
    const SetTrace walk = weighted_walk(random, {1, 3, 1, 1}, 2000);
    if (p_value_of_independence(classify_replacement(walk.trace, walk.nodes, 4).memory) > 0.01) ++independent;
  }
  CHECK(independent >= 95);
  // As bimodal insertion does: mostly the way that was filled last, else any.
  std::size_t last = 0;
  const SetTrace aware = walk_one_set(4, 2000, [&] {
    if (random() % 4 == 0) last = random() % 4;
    return last;
  });
  CHECK(p_value_of_independence(classify_replacement(aware.trace, aware.nodes, 4).memory) < 1e-6);
}

TEST_CASE("single misread loads do not blur the way probabilities") {
  std::mt19937_64 random(47);
  std::uniform_int_distribution<std::size_t> at(0, 7999);
  int right = 0;
  for (int round = 0; round < 50; ++round) {
    SetTrace walk = weighted_walk(random, {1, 3, 1, 1}, 8000);
    for (int i = 0; i < 4; ++i) flip(walk.trace[at(random)]);
    const ReplacementVerdict verdict = classify_replacement(walk.trace, walk.nodes, 4, 1e-3);
    std::vector<double> p = shares(verdict.victims);
    std::sort(p.begin(), p.end());
    if (verdict.policy == Replacement::way_weighted && std::abs(p[3] - 0.5) < 0.04 && std::abs(p[0] - 1.0 / 6) < 0.04)
      ++right;
  }
  CHECK(right >= 48);
}

TEST_CASE("random replacement is called random, with and without misread loads") {
  std::mt19937_64 random(53);
  for (const std::size_t ways : {2u, 3u, 4u, 8u, 16u}) {
    const std::size_t loads = 100 * ways * (ways + 1);
    std::uniform_int_distribution<std::size_t> at(0, loads - 1);
    int right = 0;
    int sure = 0;
    for (int round = 0; round < 100; ++round) {
      SetTrace walk = weighted_walk(random, std::vector<double>(ways, 1.0), loads);
      for (int i = 0; i < round % 4; ++i) flip(walk.trace[at(random)]);
      const ReplacementVerdict verdict = classify_replacement(walk.trace, walk.nodes, ways, 1e-3);
      if (verdict.policy == Replacement::random) ++right;
      if (verdict.policy == Replacement::random && verdict.confidence > 0.99) ++sure;
    }
    INFO(ways << " ways");
    CHECK(right >= 98);
    CHECK(sure >= (ways == 2 ? 50 : 75));
  }
}

TEST_CASE("a way that is taken 1.6 times as often as the others is never surely called random") {
  std::mt19937_64 random(67);
  for (const std::size_t ways : {2u, 4u, 16u}) {
    int sure_and_wrong = 0;
    for (int round = 0; round < 100; ++round) {
      std::vector<double> weights(ways, 1.0);
      weights[1] = 1.6;
      const SetTrace walk = weighted_walk(random, weights, 50 * ways * (ways + 1));
      const ReplacementVerdict verdict = classify_replacement(walk.trace, walk.nodes, ways);
      if (verdict.policy == Replacement::random && verdict.confidence > 0.99) ++sure_and_wrong;
    }
    INFO(ways << " ways");
    CHECK(sure_and_wrong <= 1);
  }
}

TEST_CASE("a set that always misses is LRU or FIFO, also when some loads are misread") {
  std::size_t next = 0;
  SetTrace walk = walk_one_set(8, 900, [&] { return next++ % 8; });
  ReplacementVerdict verdict = classify_replacement(walk.trace, walk.nodes, 8);
  CHECK(verdict.policy == Replacement::lru_or_fifo);
  CHECK(verdict.confidence > 0.999);
  flip(walk.trace[200]);
  verdict = classify_replacement(walk.trace, walk.nodes, 8, 1e-3);
  CHECK(verdict.policy == Replacement::lru_or_fifo);
}

TEST_CASE("an LRU trace that is noisier than stated is not taken for random") {
  std::mt19937_64 random(59);
  std::uniform_int_distribution<std::size_t> at(0, 1999);
  std::size_t next = 0;
  for (const std::size_t ways : {2u, 4u, 8u}) {
    SetTrace walk = walk_one_set(ways, 2000, [&] { return next++ % ways; });
    for (int i = 0; i < 10; ++i) flip(walk.trace[at(random)]);
    INFO(ways << " ways");
    CHECK(classify_replacement(walk.trace, walk.nodes, ways).policy == Replacement::inconclusive);
  }
}

TEST_CASE("a periodic set with hits has a deterministic policy") {
  // Most recently used: the walk over 5 lines misses once every 4 loads.
  std::vector<std::uint32_t> content{0, 1, 2, 3};
  SetTrace walk;
  std::size_t last = 3;
  for (std::uint32_t i = 0; i < 400; ++i) {
    const std::uint32_t line = (i + 4) % 5;
    const auto found = std::find(content.begin(), content.end(), line);
    walk.trace.push_back(found == content.end() ? M : H);
    walk.nodes.push_back(line);
    if (found == content.end()) content[last] = line;
    last = static_cast<std::size_t>(std::find(content.begin(), content.end(), line) - content.begin());
  }
  const ReplacementVerdict verdict = classify_replacement(walk.trace, walk.nodes, 4);
  CHECK(verdict.policy == Replacement::deterministic);
  CHECK(verdict.confidence > 0.999);
}

TEST_CASE("too few replacements, no misses or a single way decide nothing") {
  std::mt19937_64 random(61);
  const SetTrace brief = weighted_walk(random, {1, 1, 1, 1}, 60);
  CHECK(classify_replacement(brief.trace, brief.nodes, 4).policy == Replacement::inconclusive);
  const Trace hits(50, H);
  CHECK(classify_replacement(hits, std::span(brief.nodes).first(50), 4).policy == Replacement::inconclusive);
  const SetTrace single = walk_one_set(1, 50, [] { return 0u; });
  CHECK(classify_replacement(single.trace, single.nodes, 1).policy == Replacement::inconclusive);
}

TEST_CASE("a policy that evicts the line that came last, or never does, is not memoryless; random ones are") {
  std::mt19937_64 random(11);
  const auto p_value = [](std::size_t ways, auto victim) {
    Memory sum;
    for (int trace = 0; trace < 40; ++trace) {
      const auto walk = walk_one_set(ways, 512, victim);
      const auto memory = classify_replacement(walk.trace, walk.nodes, ways).memory;
      if (!memory.ages.empty()) sum.add(memory);
    }
    return p_value_of_independence(sum);
  };
  std::size_t last = 0;
  const auto any = [&](std::size_t ways) { return static_cast<std::size_t>(random() % ways); };
  CHECK(p_value(8, [&] { return last = random() % 32 == 0 ? any(8) : last; }) < 1e-4);
  CHECK(p_value(8, [&] { return last = (last + 1 + any(7)) % 8; }) < 1e-4);
  CHECK(p_value(8, [&] { return any(8); }) > 1e-4);
  std::discrete_distribution<std::size_t> weighted{3, 1, 1, 1};
  CHECK(p_value(4, [&] { return weighted(random); }) > 1e-4);
}
