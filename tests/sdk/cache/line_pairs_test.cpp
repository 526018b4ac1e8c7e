#include "line_pairs.hpp"

#include <random>
#include <utility>
#include <vector>

#include "catch.hpp"

using namespace tomograph;

namespace {

using Latencies = std::vector<std::pair<int, int>>;

cache::PairCount counted(const Latencies& pairs, double threshold) {
  cache::Subject subject;
  subject.threshold.cycles = threshold;
  chase::Result result;
  result.traces.emplace_back();
  for (const auto& [first, second] : pairs) {
    for (const int latency : {first, second}) {
      result.traces.front().latency.push_back(static_cast<std::uint32_t>(latency));
    }
  }
  return cache::count_pairs(subject, {&result, 1}, 32);
}

/// Latencies of a pair of blocks of one line: both hit, far away, or both miss near memory. 20 cycles lie between.
Latencies far_hits_and_near_misses(int pairs) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 8);
  Latencies all;
  for (int pair = 0; pair < pairs; ++pair) {
    const double usual = pair % 2 == 0 ? 420 : 440;
    all.emplace_back(static_cast<int>(usual + noise(random)), static_cast<int>(usual + noise(random)));
  }
  return all;
}

}  // namespace

TEST_CASE("first loads that miss a TLB, but less long than misses of the cache, were not evicted apart") {
  Latencies pairs;
  for (int pair = 0; pair < 100; ++pair) pairs.insert(pairs.end(), {{260, 260}, {430, 260}, {600, 600}});
  CHECK(counted(pairs, 400).apart == 0);
}

TEST_CASE("first loads that take as long as other misses were evicted apart") {
  Latencies pairs;
  for (int pair = 0; pair < 100; ++pair) pairs.insert(pairs.end(), {{260, 260}, {600, 260}, {600, 600}});
  CHECK(counted(pairs, 400).apart == 100);
}

TEST_CASE("a line is unclear if the threshold cuts the latencies of as many loads as are apart") {
  const cache::PairCount count = counted(far_hits_and_near_misses(1000), 430);
  CHECK(count.apart > 100);
  CHECK(cache::Line{.bytes = 32, .pairs = {count}}.is_unclear());
}

TEST_CASE("a line is clear where misses take few cycles longer than hits") {
  Latencies pairs;
  for (int pair = 0; pair < 100; ++pair) pairs.insert(pairs.end(), {{1, 1}, {12, 1}, {13, 14}, {11, 11}});
  const cache::PairCount count = counted(pairs, 6);
  CHECK(count.apart == 100);
  CHECK(count.unclear == 0);
}

TEST_CASE("a line is clear if no latencies lie about the threshold, or too few to explain the pairs that are apart") {
  Latencies pairs;
  for (int pair = 0; pair < 100; ++pair) pairs.insert(pairs.end(), {{260, 260}, {600, 260}, {260, 600}, {600, 600}});
  const cache::PairCount count = counted(pairs, 400);
  CHECK(count.unclear == 0);
  CHECK_FALSE(cache::Line{.bytes = 32, .pairs = {count}}.is_unclear());
  const cache::PairCount few{.distance = 32, .pairs = 1000, .apart = 480, .evicted = 500, .unclear = 200};
  CHECK_FALSE(cache::Line{.bytes = 32, .pairs = {few}}.is_unclear());
}

TEST_CASE("a line whose blocks are apart nearby and leave together farther away is none") {
  using cache::PairCount;
  const PairCount apart{.distance = 32, .pairs = 400, .apart = 240, .evicted = 200};
  const PairCount together{.distance = 64, .pairs = 400, .apart = 0, .evicted = 200};
  const PairCount beyond{.distance = 128, .pairs = 400, .apart = 200, .evicted = 200};
  CHECK(cache::Line{32, {apart, together, beyond}}.farther_together(65536) == 64);
  CHECK_FALSE(cache::Line{128, {together, beyond}}.farther_together(65536));
  const PairCount hardly_evicted{.distance = 64, .pairs = 400, .apart = 0, .evicted = 4};
  CHECK_FALSE(cache::Line{32, {apart, hardly_evicted}}.farther_together(65536));
  // Behind as many ways, blocks 64 B apart may fall into one set.
  CHECK_FALSE(cache::Line{32, {apart, together, beyond}}.farther_together(2048));
}
