#include "fleet/fleet_diff.hpp"

#include <algorithm>
#include <fstream>

#include "catch.hpp"
#include "fleet/fleet_file.hpp"
#include "temporary_folder.hpp"

using namespace tomograph::host;
using Catch::Matchers::ContainsSubstring;

namespace {

using Names = std::vector<std::string>;

FactSpread fact(const std::string& key, double median, double spread = 0.1) {
  return {.key = key,
          .unit = "cycle",
          .median = median,
          .spread = spread,
          .least = median,
          .greatest = median,
          .z = {-1, 0, 1}};
}

/// Three GPUs of one kind with fingerprints of their own.
Fleet sound() {
  Cohort cohort{"Kind", {"GPU-1", "GPU-2", "GPU-3"}, {fact("l2.latency", 200), fact("dram.latency", 500)}, {}};
  cohort.fingerprints = {{"GPU-1", {{270, 280, 290, 280}, 0.5}},
                         {"GPU-2", {{280, 270, 280, 290}, 0.5}},
                         {"GPU-3", {{290, 280, 270, 290}, 0.5}}};
  return {.false_alarm_rate = 0.05, .tests = 2, .gpus = 3, .odd = {}, .cohorts = {cohort}};
}

void rename(Cohort& cohort, const std::string& from, const std::string& to) {
  *std::ranges::find(cohort.gpus, from) = to;
  cohort.fingerprints[to] = cohort.fingerprints.at(from);
  cohort.fingerprints.erase(from);
}

}  // namespace

TEST_CASE("two days that differ by what measuring varies are the same") {
  Fleet later = sound();
  later.cohorts[0].facts[0].median = 200.15;
  for (auto& [gpu, one] : later.cohorts[0].fingerprints) one.cycles[1] += 1;
  const FleetDiff diff = diff_fleets(sound(), later);
  CHECK(diff.is_same());
  CHECK(fleet_diff_text(diff) == "no difference\n");
}

TEST_CASE("a board that was exchanged under the same UUID is named, and no other") {
  Fleet later = sound();
  later.cohorts[0].fingerprints.at("GPU-2").cycles = {290, 290, 270, 270};
  const FleetDiff diff = diff_fleets(sound(), later);
  REQUIRE(diff.cohorts.size() == 1);
  CHECK(diff.cohorts[0].exchanged == Names{"GPU-2"});
  CHECK_THAT(fleet_diff_text(diff), ContainsSubstring("EXCHANGED      Kind: GPU-2 is another board"));
}

TEST_CASE("GPUs that came and went are listed, a board with another UUID as such") {
  Fleet later = sound();
  rename(later.cohorts[0], "GPU-3", "GPU-7");
  const FleetDiff renamed = diff_fleets(sound(), later);
  REQUIRE(renamed.cohorts.at(0).renamed.size() == 1);
  CHECK(renamed.cohorts[0].renamed[0].to == "GPU-7");
  CHECK((renamed.cohorts[0].gone.empty() && renamed.cohorts[0].came.empty()));
  later.cohorts[0].fingerprints.at("GPU-7").cycles = {290, 290, 270, 270};
  const FleetDiff exchanged = diff_fleets(sound(), later);
  CHECK(exchanged.cohorts.at(0).gone == Names{"GPU-3"});
  CHECK(exchanged.cohorts[0].came == Names{"GPU-7"});
}

TEST_CASE("a fingerprint that several boards have tells nothing about a new UUID") {
  Fleet before = sound();
  before.cohorts[0].fingerprints.at("GPU-1") = before.cohorts[0].fingerprints.at("GPU-3");
  Fleet later = before;
  rename(later.cohorts[0], "GPU-3", "GPU-7");
  const FleetDiff diff = diff_fleets(before, later);
  CHECK(diff.cohorts.at(0).renamed.empty());
  CHECK(diff.cohorts[0].came == Names{"GPU-7"});
}

TEST_CASE("medians that moved are told if neither tolerance nor errors explain it") {
  Fleet later = sound();
  later.cohorts[0].facts[0].median = 210;
  later.cohorts[0].facts[1] = fact("dram.latency", 550, 60);
  const FleetDiff diff = diff_fleets(sound(), later);
  REQUIRE(diff.cohorts.at(0).moved.size() == 1);
  CHECK_THAT(fleet_diff_text(diff),
             ContainsSubstring("HIGHER         Kind: median of l2.latency from 200 cycles to 210 cycles, +5.0 %"));
}

TEST_CASE("who became odd, who is no longer, and kinds and facts of one day alone are told") {
  Fleet before = sound();
  before.odd = {{"GPU-1", "Kind", {}, "slow"}, {"GPU-2", "Kind", {}, "hot"}};
  Fleet later = sound();
  later.odd = {{"GPU-2", "Kind", {}, "hot"}, {"GPU-3", "Kind", {}, "slow"}};
  later.cohorts[0].facts.pop_back();
  later.cohorts.push_back({"Other", {"GPU-9"}, {}, {}});
  const FleetDiff diff = diff_fleets(before, later);
  CHECK(fleet_diff_text(diff) ==
        "NEWLY-ODD      GPU-3: slow\nNO-LONGER-ODD  GPU-1: slow\nONLY-A         Kind: dram.latency\n"
        "ONLY-B         Other: GPU-9\nSTILL-ODD      GPU-2: hot\n");
  CHECK(to_json(diff).at("newly_odd").at(0).at("gpu") == "GPU-3");
}

TEST_CASE("a fleet reads back from its file as it was written") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "fleet.toml";
  Fleet fleet = sound();
  fleet.cohorts[0].facts[0].without = {"GPU-2"};
  fleet.cohorts[0].differences = {{"l2.ways", "16", 2, {{"12", {"GPU-1"}}}}};
  fleet.odd = {{"GPU-1", "Kind", {{"l2.latency", "1", "2", 0.5, 7}}, "slow"}};
  std::ofstream(file) << to_toml({fleet, {}});
  REQUIRE(is_fleet_file(file));
  CHECK(to_toml({read_fleet(file), {}}) == to_toml({fleet, {}}));
  CHECK_FALSE(is_fleet_file(TOMOGRAPH_SOURCE_DIR "/tests/recordings/h200.toml"));
  CHECK_FALSE(is_fleet_file(folder.path() / "none.toml"));
}
