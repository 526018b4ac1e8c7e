#include "tomograph/analysis/group_error.hpp"

#include <cmath>
#include <cstddef>
#include <random>
#include <stdexcept>
#include <vector>

#include "catch.hpp"

using tomograph::analysis::reach_of_groups;

namespace {

constexpr double probability = 0.9973;

/// Programs of 32 loads, all of which lie in one of two partitions, near or far.
struct Loads {
  std::vector<double> cycles;
  std::vector<std::size_t> programs;
};

Loads loads_of_programs(std::size_t programs, std::mt19937_64& random) {
  Loads loads;
  for (std::size_t program = 0; program < programs; ++program) {
    const double distance = random() % 2 == 0 ? 290 : 460;
    for (int load = 0; load < 32; ++load) {
      loads.cycles.push_back(distance + static_cast<double>(random() % 9) - 4);
      loads.programs.push_back(program);
    }
  }
  return loads;
}

}  // namespace

TEST_CASE("the reach of a mean covers the truth though loads of a program lie in one partition") {
  constexpr int trials = 1000;
  for (const std::size_t programs : {8U, 64U}) {
    std::mt19937_64 random(programs);
    int covered = 0;
    for (int trial = 0; trial < trials; ++trial) {
      const Loads loads = loads_of_programs(programs, random);
      double sum = 0;
      for (const double cycles : loads.cycles) sum += cycles;
      const double mean = sum / static_cast<double>(loads.cycles.size());
      covered += std::abs(mean - 375) <= reach_of_groups(loads.cycles, loads.programs, probability) ? 1 : 0;
    }
    INFO(programs);
    CHECK(covered >= 985);
  }
}

TEST_CASE("groups of one value each have the error of independent values") {
  const std::vector<double> values{1, 2, 3, 4, 5};
  const std::vector<std::size_t> groups{0, 1, 2, 3, 4};
  // 2.776: the quantile of Student's t of four degrees of freedom that is exceeded in 2.5 % of the cases.
  CHECK(reach_of_groups(values, groups, 0.95) == Approx(2.776 * std::sqrt(2.5 / 5)).epsilon(0.001));
}

TEST_CASE("one group tells nothing of others") {
  const std::vector<double> values{1, 2};
  CHECK(std::isinf(reach_of_groups(values, std::vector<std::size_t>{7, 7}, probability)));
  CHECK_THROWS_AS(reach_of_groups(values, std::vector<std::size_t>{7}, probability), std::invalid_argument);
}
