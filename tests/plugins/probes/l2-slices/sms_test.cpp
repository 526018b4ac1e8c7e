#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "analysis_sms.hpp"
#include "catch.hpp"

using namespace tomograph::l2_slices;

namespace {

using Groups = std::vector<std::vector<std::int64_t>>;

constexpr std::size_t sms = 24;
constexpr std::size_t slices = 40;

/// Centers of slices as `equal` SMs in a row see them from the same place, and `parallel` SMs through the same way.
Clusters centers(std::size_t equal, std::size_t parallel, double scatter, double spread = 10) {
  constexpr int lines_of_slice = 25;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> distance(-spread, spread);
  std::normal_distribution<double> noise(0, scatter / std::sqrt(lines_of_slice));
  std::vector<std::vector<double>> of_group(sms, std::vector<double>(slices));
  for (auto& one : of_group) {
    for (double& each : one) each = distance(random);
  }
  std::vector<double> of_place(sms);
  for (double& each : of_place) each = distance(random);
  Clusters clusters{.scatter = std::vector<double>(sms, scatter)};
  for (std::size_t slice = 0; slice < slices; ++slice) {
    clusters.centers.emplace_back();
    for (std::size_t sm = 0; sm < sms; ++sm) {
      clusters.centers.back().push_back(280 + of_group[sm / parallel][slice] + of_place[sm / equal] + noise(random));
    }
    clusters.of_line.insert(clusters.of_line.end(), lines_of_slice, static_cast<int>(slice));
  }
  return clusters;
}

Groups in_a_row(std::size_t size) {
  Groups groups(sms / size);
  for (std::size_t sm = 0; sm < sms; ++sm) groups[sm / size].push_back(static_cast<std::int64_t>(sm));
  return groups;
}

}  // namespace

TEST_CASE("SMs at one place of the network, and those that enter it at one place, are found from latencies") {
  for (const double scatter : {0.3, 1.0}) {
    const Clusters clusters = centers(2, 6, scatter);
    CHECK(sm_groups(clusters, Difference::none).groups == in_a_row(2));
    CHECK(sm_groups(clusters, Difference::constant).groups == in_a_row(6));
  }
}

TEST_CASE("SMs that enter the network together need not lie at one place") {
  const Clusters clusters = centers(1, 3, 1);
  CHECK(sm_groups(clusters, Difference::none).groups.empty());
  CHECK(sm_groups(clusters, Difference::constant).groups == in_a_row(3));
}

TEST_CASE(
    "an SM that differs from its neighbour by more than noise, but far less than from all others, stays with it") {
  Clusters clusters = centers(2, 6, 1);
  for (std::size_t slice = 0; slice < slices; ++slice) clusters.centers[slice][5] += slice % 2 == 0 ? 0.5 : -0.5;
  CHECK(sm_groups(clusters, Difference::none).groups == in_a_row(2));
  CHECK(sm_groups(clusters, Difference::constant).groups == in_a_row(6));
}

TEST_CASE("two groups whose SMs differ by less than noise are told apart by their means") {
  constexpr double scatter = 1;
  Clusters clusters = centers(2, 6, scatter);
  std::mt19937_64 random(2);
  std::normal_distribution<double> noise(0, scatter / 5);
  for (std::size_t slice = 0; slice < slices; ++slice) {
    const double first = clusters.centers[slice][0] + (slice % 2 == 0 ? 0.28 : -0.28);
    for (std::size_t sm = 6; sm < 12; ++sm) clusters.centers[slice][sm] = first + noise(random);
  }
  CHECK(sm_groups(clusters, Difference::constant).groups == in_a_row(6));
}

TEST_CASE("SMs that noise hides, or that are all alike, form no groups") {
  CHECK(sm_groups(centers(1, 1, 1), Difference::constant).reason ==
        "most SMs are alone in their distances from the slices");
  CHECK(sm_groups(centers(2, 6, 1, 0), Difference::none).reason == "latencies do not tell SMs apart");
  CHECK(sm_groups(centers(2, 6, 1, 0.2), Difference::constant).groups.empty());
}
