#include "fleet/judgement.hpp"

#include <algorithm>
#include <random>

#include "catch.hpp"
#include "fleet/fleet_file.hpp"

using namespace tomograph::host;
using Catch::Matchers::ContainsSubstring;

namespace {

/// GPUs with facts of normal values about 100, and a discrete fact of the driver.
class MadeUpFleet {
 public:
  MadeUpFleet(std::size_t gpus, std::size_t facts, double spread, unsigned seed = 1) : random_(seed) {
    std::normal_distribution<double> normal(100, spread);
    for (std::size_t i = 0; i < gpus; ++i) {
      GpuFacts gpu{"GPU-" + std::to_string(1000 + i), "Kind", "2026", {}};
      for (std::size_t j = 0; j < facts; ++j) gpu.facts.push_back(number("x.f" + std::to_string(j), normal(random_)));
      gpu.facts.push_back(text("device.sm_count", "132", true));
      gpu.facts.push_back(text("x.ways", "16", false));
      all.push_back(gpu);
    }
  }

  GpuFact number(const std::string& key, double value) {
    return {.key = texts.id_of(key),
            .unit = texts.id_of("cycle"),
            .is_number = true,
            .is_continuous = true,
            .value = value,
            .low = value - 0.1,
            .high = value + 0.1};
  }
  GpuFact text(const std::string& key, const std::string& value, bool is_api) {
    return {.key = texts.id_of(key), .unit = texts.id_of("1"), .text = texts.id_of(value), .is_api = is_api};
  }
  [[nodiscard]] Fleet judged(double rate = 0.05) const { return judge(all, texts, rate); }

  Texts texts;
  std::vector<GpuFacts> all;

 private:
  std::mt19937_64 random_;
};

}  // namespace

TEST_CASE("of eight GPUs the one that is 4 % slow in one fact is named with the numbers, and no other") {
  MadeUpFleet made(8, 50, 0.1);
  made.all[5].facts[7].value = 96;
  made.all[5].facts[7].low = 95.9;
  made.all[5].facts[7].high = 96.1;
  const Fleet fleet = made.judged();
  REQUIRE(fleet.odd.size() == 1);
  CHECK(fleet.odd[0].gpu == "GPU-1005");
  CHECK(fleet.odd[0].facts.size() == 1);
  CHECK_THAT(fleet.odd[0].reason,
             ContainsSubstring("x.f7 is ") && ContainsSubstring(" % lower than the median of 8 Kind: 96 cycles"));
  CHECK(fleet.tests == 50);
}

TEST_CASE("the order of files changes nothing") {
  MadeUpFleet made(40, 30, 0.2);
  made.all[3].facts[2].value = made.all[3].facts[2].low = made.all[3].facts[2].high = 110;
  made.all[7].facts[30] = made.text("device.sm_count", "114", true);
  const std::string before = to_toml({made.judged(), {}});
  std::ranges::reverse(made.all);
  for (GpuFacts& gpu : made.all) std::ranges::reverse(gpu.facts);
  CHECK(to_toml({made.judged(), {}}) == before);
  CHECK(made.judged().odd.size() == 2);
}

TEST_CASE("a difference that measuring explains is no oddity") {
  MadeUpFleet made(30, 5, 0.01);
  made.all[0].facts[0].value = 101.5;  // within the tolerance of diff
  made.all[1].facts[1].value = 105;    // its interval has the median
  made.all[1].facts[1].low = 95;
  CHECK(made.judged().odd.empty());
}

TEST_CASE("a discrete fact that few GPUs have otherwise is odd if the driver says so, else only listed") {
  MadeUpFleet made(20, 0, 1);
  made.all[4].facts[0] = made.text("device.sm_count", "130", true);
  made.all[9].facts[1] = made.text("x.ways", "12", false);
  const Fleet fleet = made.judged();
  REQUIRE(fleet.odd.size() == 1);
  CHECK(fleet.odd[0].reason == "device.sm_count is 130, but 132 for most of 20 Kind");
  REQUIRE(fleet.cohorts.at(0).differences.size() == 2);
  CHECK(fleet.cohorts[0].differences[1].others.at(0).gpus == std::vector<std::string>{"GPU-1009"});
  for (std::size_t i = 10; i < 17; ++i) made.all[i].facts[0] = made.text("device.sm_count", "114", true);
  CHECK(made.judged().odd.empty());  // two groups, none of which is odd
}

TEST_CASE("sound fleets raise false alarms at most at the stated rate") {
  int alarms = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    // A spread of 5 %, so that the tolerance hides nothing that the test finds.
    alarms += MadeUpFleet(12, 20, 5, seed).judged(0.05).odd.empty() ? 0 : 1;
  }
  CHECK(alarms <= 12);  // 5 are expected; 13 or more have a probability of 0.2 %
}

TEST_CASE("GPUs of other kinds are not compared, nor are two of a kind") {
  MadeUpFleet made(2, 3, 1);
  made.all[0].facts[0].value = 200;
  const Fleet fleet = made.judged();
  CHECK(fleet.odd.empty());
  CHECK(fleet.tests == 0);
  CHECK(fleet.cohorts.at(0).facts.empty());
}
