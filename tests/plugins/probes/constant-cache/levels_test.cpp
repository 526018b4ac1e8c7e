#include <algorithm>
#include <iterator>
#include <random>

#include "analysis_levels.hpp"
#include "catch.hpp"

namespace {

using namespace tomograph;
using namespace tomograph::constant_cache;

/// Latencies of constants on a made-up GPU.
class Gpu {
 public:
  std::vector<double> loads(double cycles, std::size_t count) {
    std::normal_distribution<double> noise(cycles, 1);
    std::vector<double> latencies(count);
    for (double& one : latencies) one = noise(random_);
    return latencies;
  }

  /// Footprints from 256 B to 64 KiB, of which those above `held` take `miss` cycles, and 16 neighbours.
  Spectrum spectrum(double hit, std::int64_t held, double miss) {
    Spectrum seen{.hits = loads(hit, 256), .steps = {}, .neighbours = {}};
    for (std::int64_t bytes = 256; bytes <= 65536; bytes *= 2) {
      seen.steps.push_back({bytes, loads(bytes > held ? miss : hit, 256)});
    }
    return seen;
  }

  /// Adds neighbours after which first loads take this long.
  void add(Spectrum& seen, std::int64_t count, double cycles) {
    for (std::int64_t i = 0; i < count; ++i) {
      seen.neighbours.push_back({std::ssize(seen.neighbours) + 1, loads(cycles, 64)});
    }
  }

 private:
  std::mt19937_64 random_{3};
};

constexpr double hit = 30;
constexpr double second = 90;
constexpr double l2_latency = 220;

}  // namespace

TEST_CASE("misses of the first level that are faster than L2 hit in a second level") {
  Gpu gpu;
  Spectrum seen = gpu.spectrum(hit, 2048, second);
  gpu.add(seen, 15, l2_latency);
  gpu.add(seen, 1, second);
  const Levels levels = find_levels(seen, 0.0);
  REQUIRE(levels.first);
  REQUIRE(levels.second);
  CHECK(levels.beyond_first == 4096);
  CHECK((levels.first->cycles > hit + 5 && levels.first->cycles < second - 5));
  CHECK((levels.second->cycles > second + 5 && levels.second->cycles < l2_latency - 5));
}

TEST_CASE("a second level shows though three loads in a hundred are delayed by more than it takes") {
  Gpu gpu;
  Spectrum seen = gpu.spectrum(hit, 2048, second);
  gpu.add(seen, 16, l2_latency);
  const auto delay = [](std::vector<double>& loads) {
    for (std::size_t load = 0; load < loads.size(); load += 32) loads[load] += 200;
  };
  delay(seen.hits);
  for (Step& step : seen.steps) delay(step.latencies);
  const Levels levels = find_levels(seen, 0.0);
  REQUIRE(levels.first);
  CHECK(levels.beyond_first == 4096);
  CHECK(levels.first->cycles < second - 5);
  CHECK(levels.second);
}

TEST_CASE("misses of the only level take as long as first loads") {
  Gpu gpu;
  Spectrum seen = gpu.spectrum(hit, 2048, l2_latency);
  gpu.add(seen, 16, l2_latency);
  const Levels levels = find_levels(seen, 0.0);
  CHECK(levels.first);
  CHECK_FALSE(levels.second);
  CHECK(levels.ambiguity == Ambiguity::none);
  CHECK(levels.from_l2 == levels.first_misses);
}

TEST_CASE("copies in the partitions of L2 are no second level that groups of SMs share") {
  Gpu gpu;
  Spectrum seen = gpu.spectrum(hit, 2048, l2_latency);
  gpu.add(seen, 3, l2_latency);
  gpu.add(seen, 13, l2_latency + 200);
  CHECK(find_levels(seen, 120.0).second);
  const Levels levels = find_levels(seen, 120.0, l2_latency);
  CHECK_FALSE(levels.second);
  CHECK(levels.from_l2 == levels.first_misses);
}

TEST_CASE("a second level is much faster than the near partition of L2") {
  Gpu gpu;
  Spectrum seen = gpu.spectrum(hit, 2048, second);
  gpu.add(seen, 16, l2_latency);
  CHECK(find_levels(seen, 0.0, l2_latency).second);
}

TEST_CASE("a far partition of L2 is no second level") {
  Gpu gpu;
  Spectrum seen = gpu.spectrum(hit, 2048, l2_latency);
  gpu.add(seen, 8, l2_latency);
  gpu.add(seen, 8, l2_latency + 120);
  CHECK_FALSE(find_levels(seen, 120.0).second);
  CHECK(find_levels(seen, 120.0).ambiguity == Ambiguity::none);
  CHECK(find_levels(seen, 40.0).second);
}

TEST_CASE("slices of L2 at different distances are no second level") {
  Gpu gpu;
  Spectrum seen = gpu.spectrum(hit, 2048, l2_latency);
  gpu.add(seen, 16, l2_latency + 15);
  CHECK_FALSE(find_levels(seen, 0.0).second);
}

TEST_CASE("a second level stays open while the distance of the far partition is not known") {
  Gpu gpu;
  Spectrum seen = gpu.spectrum(hit, 2048, l2_latency);
  gpu.add(seen, 8, l2_latency);
  gpu.add(seen, 8, l2_latency + 120);
  const Levels levels = find_levels(seen, std::nullopt);
  CHECK(levels.ambiguity == Ambiguity::partitions);
  CHECK_FALSE(levels.second);
}

TEST_CASE("a second level that all neighbours share is found by a footprint that it does not hold") {
  Gpu gpu;
  Spectrum seen = gpu.spectrum(hit, 2048, second);
  gpu.add(seen, 16, second);
  seen.reference = {.small = gpu.loads(second, 256), .large = gpu.loads(l2_latency, 256), .l2 = gpu.loads(200, 128)};
  const Levels levels = find_levels(seen, 0.0);
  REQUIRE(levels.second);
  CHECK((levels.second->cycles > second + 5 && levels.second->cycles < l2_latency - 5));
  CHECK(levels.source == FromL2::large_footprint);
  CHECK(std::ranges::min(levels.from_l2) > 200);
}

TEST_CASE("a second level that all neighbours share and that holds all constants has no known misses") {
  Gpu gpu;
  Spectrum seen = gpu.spectrum(hit, 2048, second);
  gpu.add(seen, 16, second);
  seen.reference = {.small = gpu.loads(second, 256), .large = gpu.loads(second, 256), .l2 = gpu.loads(200, 128)};
  CHECK(find_levels(seen, 0.0).ambiguity == Ambiguity::second_holds_all);
  CHECK(find_levels(seen, 0.0).from_l2.empty());
  // A little faster than L2, by less than a hit of the first level.
  seen.reference->l2 = gpu.loads(second + hit / 2, 128);
  CHECK(find_levels(seen, 0.0).ambiguity == Ambiguity::near_l2);
}

TEST_CASE("a larger footprint in the far partition of L2 is no second level") {
  Gpu gpu;
  Spectrum seen = gpu.spectrum(hit, 2048, l2_latency);
  gpu.add(seen, 16, l2_latency);
  auto large = gpu.loads(l2_latency, 128);
  std::ranges::copy(gpu.loads(l2_latency + 120, 128), std::back_inserter(large));
  seen.reference = {.small = gpu.loads(l2_latency, 256), .large = large, .l2 = gpu.loads(200, 128)};
  CHECK_FALSE(find_levels(seen, 120.0).second);
  CHECK(find_levels(seen, 120.0).ambiguity == Ambiguity::none);
  CHECK_FALSE(find_levels(seen, std::nullopt).second);
}

TEST_CASE("misses that are too fast for L2 settle what partitions might explain") {
  Gpu gpu;
  Spectrum seen = gpu.spectrum(hit, 2048, second);
  gpu.add(seen, 8, second);
  gpu.add(seen, 8, l2_latency);
  CHECK(find_levels(seen, std::nullopt).ambiguity == Ambiguity::partitions);
  seen.reference = {.small = gpu.loads(second, 256), .large = gpu.loads(second, 256), .l2 = gpu.loads(200, 128)};
  CHECK(find_levels(seen, std::nullopt).second);
}

TEST_CASE("a GPU of one SM has no neighbours, and its levels are those that footprints show") {
  Gpu gpu;
  Spectrum seen = gpu.spectrum(hit, 2048, second);
  seen.reference = {.small = gpu.loads(second, 256), .large = gpu.loads(l2_latency, 256), .l2 = gpu.loads(200, 128)};
  const Levels levels = find_levels(seen, 0.0);
  CHECK(levels.first);
  CHECK(levels.second);
}

TEST_CASE("of first loads on an SM those after the nearest neighbour that shares no cache come from L2") {
  Gpu gpu;
  Levels levels{.first = analysis::Threshold{60, 0, 0}, .second = analysis::Threshold{150, 0, 0}};
  levels.source = FromL2::after_neighbours;
  const std::vector<Neighbour> loads{
      {1, gpu.loads(l2_latency + 120, 64)}, {2, gpu.loads(second, 64)}, {3, gpu.loads(l2_latency, 64)}};
  CHECK(served_by_l2(levels, loads) == loads[2].latencies);
  CHECK(served_by_l2(levels, std::span(loads).subspan(1, 1)).empty());
}

TEST_CASE("a first level that holds all constants leaves open what is behind it") {
  Gpu gpu;
  Spectrum seen = gpu.spectrum(hit, 65536, l2_latency);
  gpu.add(seen, 16, l2_latency);
  const Levels levels = find_levels(seen, 0.0);
  CHECK(levels.first);
  CHECK(levels.first_misses.empty());
  CHECK(levels.ambiguity == Ambiguity::first_holds_all);
}

TEST_CASE("no level holds constants whose repeated loads take as long as first loads") {
  Gpu gpu;
  Spectrum seen = gpu.spectrum(l2_latency, 65536, l2_latency);
  gpu.add(seen, 16, l2_latency);
  CHECK_FALSE(find_levels(seen, 0.0).first);
}

TEST_CASE("an L2 that loses constants between two walks is no cache before L2") {
  Gpu gpu;
  Spectrum seen = gpu.spectrum(l2_latency, 4096, 2 * l2_latency);
  gpu.add(seen, 16, 2 * l2_latency);
  CHECK(find_levels(seen, 0.0).first);
  CHECK_FALSE(find_levels(seen, 0.0, l2_latency).first);
}

TEST_CASE("hits of the second level lie between both thresholds, and an SM without any is left out") {
  Levels levels;
  levels.first = {60, 0, 0};
  levels.second = {150, 0, 0};
  levels.first_misses = {93};
  const std::vector<Neighbour> loads{{3, {30, 90, 92, 220}}, {5, {30, 220}}};
  const SecondHits seen = hits_of_second(levels, loads);
  CHECK(seen.sms == std::vector<std::int64_t>{0, 3});
  CHECK(seen.by_sm == std::vector<double>{93, 91});  // means
  CHECK(seen.all == std::vector<double>{93, 90, 92});
}
