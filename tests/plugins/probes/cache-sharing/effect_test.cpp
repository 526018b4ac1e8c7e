#include <algorithm>
#include <random>
#include <stdexcept>

#include "analysis_effect.hpp"
#include "catch.hpp"

using namespace tomograph::analysis;

namespace {

EventCount draw(std::mt19937_64& random, std::size_t tests, double rate) {
  std::binomial_distribution<int> events(static_cast<int>(tests), rate);
  return {static_cast<std::size_t>(events(random)), tests};
}

}  // namespace

TEST_CASE("a treatment that does what the known cause does has the full effect, one that does nothing has none") {
  CHECK(odds(effect_evidence({1, 64}, {63, 64}, {62, 64})).full > 0.999);
  CHECK(odds(effect_evidence({1, 64}, {63, 64}, {0, 64})).absent > 0.999);
  CHECK(odds(effect_evidence({1, 64}, {63, 64}, {31, 64})).partial > 0.99);
}

TEST_CASE("events that happen anyway are not taken for an effect") {
  CHECK(odds(effect_evidence({128, 256}, {250, 256}, {130, 256})).absent > 0.99);
}

TEST_CASE("a cause without effect tells nothing") {
  const EffectOdds seen = odds(effect_evidence({3, 64}, {3, 64}, {3, 64}));
  CHECK(seen.absent < 0.6);
  CHECK(seen.full < 0.6);
}

TEST_CASE("independent experiments add up to certainty") {
  EffectEvidence sum;
  const EffectEvidence weak = effect_evidence({0, 16}, {4, 16}, {4, 16});
  CHECK(odds(weak).full < 0.95);
  for (int i = 0; i < 12; ++i) sum += weak;
  CHECK(odds(sum).full > 0.99);
}

TEST_CASE("a verdict is wrong no more often than its error says") {
  std::mt19937_64 random(11);
  double stated = 0;
  double wrong = 0;
  for (int round = 0; round < 400; ++round) {
    const double share = round % 2 == 0 ? 0 : 1;
    const EffectOdds seen =
        odds(effect_evidence(draw(random, 24, 0.1), draw(random, 24, 0.6), draw(random, 24, 0.1 + share * 0.5)));
    const double probability = share == 0 ? seen.absent : seen.full;
    stated += seen.error();
    wrong += probability < std::max({seen.absent, seen.partial, seen.full}) ? 1 : 0;
  }
  CHECK(wrong < 1.2 * stated);
  CHECK(stated < 100);
}

TEST_CASE("where nothing lies between, few tests decide, and half of the effect decides nothing") {
  const EffectEvidence eight = effect_evidence({0, 1000}, {1000, 1000}, {8, 8});
  CHECK(odds(eight).error() > 1e-3);
  CHECK(odds(eight, 0).error() < 1e-4);
  CHECK(odds(effect_evidence({0, 1000}, {1000, 1000}, {4, 8}), 0).error() == Approx(0.5).margin(0.01));
}

TEST_CASE("more events than tests are refused") {
  CHECK_THROWS_AS(effect_evidence({2, 1}, {1, 1}, {1, 1}), std::invalid_argument);
  CHECK_THROWS_AS(effect_evidence({1, 1}, {1, 1}, {2, 1}), std::invalid_argument);
}
