#include "analysis_code.hpp"
#include "catch.hpp"

namespace {

using namespace tomograph;
using namespace tomograph::cache_sharing;

constexpr std::size_t tests = 64;
constexpr double near_cycles = 30;
constexpr double held = 80;
constexpr double evicted = 200;

std::vector<double> all(double cycles) { return std::vector(tests, cycles); }

/// Latencies of code after constants that evict it, or do not.
LatenciesAfter of_code(double after_own, double after_rival) {
  return {{Between::nothing, all(near_cycles)},
          {Between::idle, all(held)},
          {Between::own, all(after_own)},
          {Between::all, all(evicted)},
          {Between::rival, all(after_rival)}};
}

}  // namespace

TEST_CASE("constants that slow code down as its own loads do evict it") {
  const auto evidence = evidence_behind(of_code(evicted, evicted));
  REQUIRE(evidence);
  CHECK(analysis::odds(*evidence).full > 0.99);
}

TEST_CASE("constants that leave code as fast as an idle rival does do not evict it") {
  const auto evidence = evidence_behind(of_code(evicted, held));
  REQUIRE(evidence);
  CHECK(analysis::odds(*evidence).absent > 0.99);
}

TEST_CASE("code that its own loads do not evict says nothing about a cache behind another one") {
  CHECK_FALSE(evidence_behind(of_code(held, held)));
}

TEST_CASE("code in the first cache is compared with all other code if twice its size evicts nothing") {
  const auto evidence = evidence_first(of_code(held, evicted));
  REQUIRE(evidence);
  CHECK(analysis::odds(*evidence).full > 0.99);
  LatenciesAfter nothing = of_code(held, held);
  nothing[Between::all] = all(held);
  CHECK_FALSE(evidence_first(nothing));
}

TEST_CASE("loads that the level before served do not count") {
  LatenciesAfter seen = of_code(evicted, evicted);
  seen[Between::rival].resize(2 * tests, near_cycles);
  CHECK(analysis::odds(eviction_evidence(seen, Between::own, 50, 120)).full > 0.99);
  CHECK(analysis::odds(eviction_evidence(seen, Between::own, 0, 120)).full < 0.5);
}
