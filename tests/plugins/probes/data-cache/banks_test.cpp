#include <cmath>
#include <random>

#include "analysis_banks.hpp"
#include "analysis_refresh.hpp"
#include "catch.hpp"

namespace {

using namespace tomograph::data_cache;

/// Latencies of pairs of lines, of which each has a bank. Refreshes delay one pair in four.
std::vector<double> latencies_of(const std::vector<LinePair>& pairs, const std::vector<std::size_t>& bank_of,
                                 std::mt19937_64& random) {
  std::normal_distribution<double> noise(0, 8);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<double> latencies;
  for (const auto& [one, other] : pairs) {
    const double conflict = bank_of[one] == bank_of[other] ? 80 : 0;
    const double refresh = uniform(random) < 0.24 ? 460 * uniform(random) : 0;
    latencies.push_back(600 + noise(random) + conflict + refresh);
  }
  return latencies;
}

/// Loads of a bank at random times, some of which meet a refresh.
BankLoads loads_of(double period, double duration, double phase, std::mt19937_64& random) {
  std::uniform_real_distribution<double> rest(0, 1000);
  BankLoads loads;
  double time = 0;
  for (int i = 0; i < 1500; ++i) {
    time += 1800 + rest(random);
    const double wait = duration - std::fmod(time + phase, period);
    loads.start.push_back(time);
    loads.wait.push_back(wait > 30 ? wait : 0);
  }
  return loads;
}

/// Loads of twelve banks, each with a phase of its own.
std::vector<BankLoads> loads_of_banks(double period, double duration, std::mt19937_64& random) {
  std::vector<BankLoads> banks;
  for (int i = 0; i < 12; ++i) banks.push_back(loads_of(period, duration, 700.0 * i, random));
  return banks;
}

/// Makes a share of the loads that met no refresh late, by `least` cycles and up to `range` more.
void delay_others(std::vector<BankLoads>& banks, double share, double least, double range, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(0, 1);
  for (BankLoads& loads : banks) {
    for (double& wait : loads.wait) {
      if (wait == 0 && uniform(random) < share) wait = least + range * uniform(random);
    }
  }
}

}  // namespace

TEST_CASE("pairs that conflict each time are found among refreshes, and group lines by bank") {
  std::mt19937_64 random(1);
  std::vector<std::size_t> bank_of(120);
  for (std::size_t line = 0; line < bank_of.size(); ++line) bank_of[line] = line * line % 16;
  ConflictSearch search(all_pairs(bank_of.size()), 3);
  while (!search.done()) search.add(latencies_of(search.suspects(), bank_of, random));
  const Banks banks = group_by_bank(search.suspects(), bank_of.size());
  CHECK(banks.conflicts.size() > banks.pairs * 95 / 100);
  for (const auto& own : banks.lines) {
    for (const std::size_t line : own) CHECK(bank_of[line] == bank_of[own.front()]);
  }
}

TEST_CASE("lines of a row do not conflict, which the groups tell") {
  const std::vector<LinePair> conflicts{{0, 1}, {1, 2}, {0, 2}, {2, 3}, {0, 3}};  // 1 and 3 share a row
  const Banks banks = group_by_bank(conflicts, 5);
  REQUIRE(banks.lines.size() == 2);
  CHECK(banks.lines[0] == std::vector<std::size_t>{0, 1, 2, 3});
  CHECK(banks.conflicts.size() == 5);
  CHECK(banks.pairs == 6);
}

TEST_CASE("a pair of two banks that was late by chance does not unite them") {
  const std::vector<LinePair> conflicts{{0, 1}, {0, 2}, {1, 2}, {3, 4}, {3, 5}, {4, 5}, {2, 3}, {6, 7}};
  const Banks banks = group_by_bank(conflicts, 8);
  REQUIRE(banks.lines.size() == 3);
  CHECK(banks.lines[0] == std::vector<std::size_t>{0, 1, 2});
  CHECK(banks.conflicts.size() == 7);
  CHECK(banks.pairs == 7);
}

TEST_CASE("two sets have the banks in common that hold lines of both") {
  const std::vector<bool> of_first{true, true, false, false, false, true, false};
  const std::vector<LinePair> conflicts{{0, 1}, {0, 2}, {1, 2}, {3, 4}};  // 5 and 6 share a row
  const CommonBanks common = common_banks({.lines = {{0, 1, 2}, {3, 4}, {5, 6}}, .conflicts = conflicts}, of_first);
  CHECK(common.banks == 2);
  CHECK(common.pairs == 3);
  CHECK(common.conflicts == 2);
}

TEST_CASE("the period and the duration of refreshes follow from late loads, whatever the phase of each bank") {
  std::mt19937_64 random(2);
  const auto refresh = find_refresh(loads_of_banks(3813, 480, random), 30);
  REQUIRE(refresh);
  CHECK(refresh->period == Approx(3813).epsilon(0.001));
  CHECK(refresh->duration == Approx(480).epsilon(0.01));
  CHECK(refresh->duration_interval.low < 480);
  CHECK(refresh->duration_interval.high > 480);
  CHECK(refresh->period_interval.low < 3813);
  CHECK(refresh->period_interval.high > 3813);
  CHECK(refresh->concentration > 0.9);
}

TEST_CASE("many loads that are late by little do not hide refreshes") {
  std::mt19937_64 random(6);
  std::vector<BankLoads> banks = loads_of_banks(3813, 480, random);
  delay_others(banks, 0.12, 20, 10, random);
  const auto refresh = find_refresh(banks, 20);
  REQUIRE(refresh);
  CHECK(refresh->concentration > 0.9);
  CHECK(refresh->duration == Approx(480).epsilon(0.01));
  CHECK(refresh->duration_interval.low < 480);
  CHECK(refresh->duration_interval.high > 480);
}

TEST_CASE("refreshes are found whose phase moves while a bank is watched") {
  std::mt19937_64 random(5);
  std::vector<BankLoads> banks = loads_of_banks(3813, 480, random);
  for (BankLoads& loads : banks) {
    for (double& start : loads.start) start += 1000 * std::sin(start * 2e-6);
  }
  const auto refresh = find_refresh(banks, 30);
  REQUIRE(refresh);
  CHECK(refresh->period == Approx(3813).epsilon(0.005));
  CHECK(refresh->duration == Approx(480).epsilon(0.02));
  CHECK(refresh->duration_interval.low < 480);
  CHECK(refresh->duration_interval.high > 480);
}

TEST_CASE("loads that are late for another reason do not lengthen a refresh") {
  std::mt19937_64 random(4);
  std::vector<BankLoads> banks = loads_of_banks(3813, 480, random);
  delay_others(banks, 0.06, 30, 800, random);
  const auto refresh = find_refresh(banks, 30);
  REQUIRE(refresh);
  CHECK(refresh->duration == Approx(480).epsilon(0.02));
  CHECK(refresh->duration_interval.low < 480);
  CHECK(refresh->duration_interval.high > 480);
}

TEST_CASE("loads that are late at random times have no refresh") {
  std::mt19937_64 random(3);
  std::vector<BankLoads> stretches(4);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (BankLoads& loads : stretches) {
    for (int i = 0; i < 1500; ++i) {
      loads.start.push_back(2000.0 * i + 1000 * uniform(random));
      loads.wait.push_back(uniform(random) < 0.12 ? 30 + 430 * uniform(random) : 0);
    }
  }
  CHECK_FALSE(find_refresh(stretches, 30));
}
