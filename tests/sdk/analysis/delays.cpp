#include "tomograph/analysis/delays.hpp"

#include <random>
#include <stdexcept>

#include "catch.hpp"

using namespace tomograph::analysis;

namespace {

/// Loads that take one of `ways`, each as likely, and are delayed by up to `longest` with probability `busy`.
std::vector<double> loads(const std::vector<double>& ways, double sigma, double busy, double longest,
                          std::size_t count = 2048) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> jitter(0, sigma);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<double> sample;
  for (std::size_t i = 0; i < count; ++i) {
    double cycles = ways[i % ways.size()] + jitter(random);
    if (unit(random) < busy) cycles += longest * unit(random);
    sample.push_back(std::round(cycles));
  }
  return sample;
}

}  // namespace

TEST_CASE("near and far loads have means of their own, which refresh does not move") {
  // As on an H200: memory is busy for an eighth of the time, up to 515 cycles.
  const Delays found = delays(loads({560, 745}, 20, 0.133, 515));
  REQUIRE(found.distances.size() == 2);
  CHECK(found.distances[0].mean == Approx(560).epsilon(0.005));
  CHECK(found.distances[1].mean == Approx(745).epsilon(0.01));
  CHECK(found.mean == Approx(652.5).epsilon(0.01));
  CHECK(found.late_share() == Approx(0.09).margin(0.03));
  CHECK(found.error == Approx(92.5 / std::sqrt(1850)).epsilon(0.1));
}

TEST_CASE("loads that only jitter are in time") {
  const Delays found = delays(loads({400}, 15, 0, 0));
  REQUIRE(found.distances.size() == 1);
  CHECK(found.late_share() < 0.01);
  CHECK(found.mean == Approx(400).margin(1.5));
  CHECK(found.distances.front().mean == Approx(found.mean));
}

TEST_CASE("distances closer than the resolution are no delays") {
  const Delays close = delays(loads({481, 548}, 2, 0, 0));
  CHECK(close.mean == Approx(514.5).epsilon(0.005));
  CHECK(close.late_share() < 0.05);
  // A cluster without any gap, most of it above a sharp edge.
  std::vector<double> ramp;
  for (int i = 0; i < 400; ++i) ramp.push_back(i < 120 ? 300 : 300 + i);
  CHECK(delays(ramp).late_share() <= 0.25);
}

TEST_CASE("loads without any jitter are in time up to the resolution") {
  std::vector<double> sample(100, 300.0);
  sample[3] = 308;
  sample[7] = 340;
  const Delays found = delays(sample);
  CHECK(found.late == std::vector<double>{340});
  CHECK(found.mean == Approx(300.08).margin(0.01));
}

TEST_CASE("a single load is its own mean, an empty sample has none") {
  CHECK(delays(std::vector<double>{512}).mean == 512);
  CHECK(delays(std::vector<double>{512}).error == 0);
  CHECK_THROWS_AS(delays(std::vector<double>{}), std::invalid_argument);
}
