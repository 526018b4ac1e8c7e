#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "analysis_clusters.hpp"
#include "catch.hpp"

using namespace tomograph::l2_slices;

namespace {

constexpr std::size_t lines = 256;

/// Slices at random distances from SMs; line n lies in slice n % slices.
struct Chip {
  std::size_t sms = 24;
  std::size_t slices = 8;
  double spread = 8;
  double noise = 1;
  double told_noise = 1;  ///< that repeats show

  [[nodiscard]] LatencyTable table() const {
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal;
    std::vector<double> means(sms * slices);
    for (double& mean : means) mean = 280 + spread * normal(random);
    std::vector<std::uint32_t> cycles;
    for (std::size_t sm = 0; sm < sms; ++sm) {
      for (std::size_t line = 0; line < lines; ++line) {
        const double exact = means[sm * slices + line % slices] + noise * normal(random);
        cycles.push_back(static_cast<std::uint32_t>(std::lround(exact)));
      }
    }
    return LatencyTable(cycles, std::vector<double>(sms, told_noise));
  }
};

/// Whether lines share a cluster if and only if they share a slice.
bool are_right(const std::vector<int>& of_line, std::size_t slices) {
  for (std::size_t line = slices; line < of_line.size(); ++line) {
    if (of_line[line] == no_cluster || of_line[line] != of_line[line % slices]) return false;
  }
  std::vector<int> first(of_line.begin(), of_line.begin() + static_cast<std::ptrdiff_t>(slices));
  std::ranges::sort(first);
  return std::ranges::adjacent_find(first) == first.end();
}

}  // namespace

TEST_CASE("each slice is a cluster, and no line is left over") {
  const Clusters found = find_clusters(Chip().table());
  CHECK(found.centers.size() == 8);
  CHECK(found.unclustered() == 0);
  CHECK(are_right(found.of_line, 8));
  CHECK(found.excess == Approx(1).margin(0.15));
}

TEST_CASE("noise larger than repeats show is found from the lines themselves") {
  const Clusters found = find_clusters(Chip{.noise = 2, .told_noise = 0.5}.table());
  CHECK(found.centers.size() == 8);
  CHECK(are_right(found.of_line, 8));
  CHECK(found.excess > 9);
}

TEST_CASE("clusters are in the order of their mean latency, so that two runs number them alike") {
  std::vector<double> sums;
  for (const auto& center : find_clusters(Chip().table()).centers) {
    sums.push_back(std::accumulate(center.begin(), center.end(), 0.0));
  }
  CHECK(sums.size() == 8);
  CHECK(std::ranges::is_sorted(sums));
}

TEST_CASE("lines that no latency separates are one cluster") {
  CHECK(find_clusters(Chip{.spread = 0}.table()).centers.size() == 1);
}

TEST_CASE("a line unlike all others belongs to no cluster") {
  std::vector<std::uint32_t> cycles(lines * 4, 300);
  for (std::size_t sm = 0; sm < 4; ++sm) cycles[sm * lines + 17] = 500;
  const Clusters found = find_clusters(LatencyTable(cycles, std::vector<double>(4, 0.5)));
  CHECK(found.centers.size() == 1);
  CHECK(found.unclustered() == 1);
  CHECK(found.of_line[17] == no_cluster);
}

TEST_CASE("lines that a disturbance moved are doubted, and right once they are timed again") {
  const LatencyTable undisturbed = Chip().table();
  const std::vector<std::size_t> disturbed{10, 90, 91};
  LatencyTable table = undisturbed;
  const LatencyTable moved(std::vector<std::uint32_t>(24, 340), std::vector<double>(24, 1));
  for (const std::size_t line : disturbed) table.replace(line, moved, 0);
  const Clusters found = find_clusters(table);
  CHECK(found.centers.size() == 9);
  REQUIRE(doubtful_lines(found) == disturbed);
  for (const std::size_t line : disturbed) table.replace(line, undisturbed, line);
  CHECK(are_right(find_clusters(table).of_line, 8));
}

TEST_CASE("a line belongs to the cluster that two of three measurements give to it") {
  const std::vector<int> first{1, 1, 1, 2, 2, no_cluster};
  const std::vector<int> second{1, 1, 3, 3, 3, 4};
  const std::vector<int> third{1, 2, 1, 3, 4, 4};
  CHECK(majority(first, second, third) == std::vector<int>{1, 1, 1, 3, no_cluster, 4});
}

TEST_CASE("a cluster whose lines all belong elsewhere is none, and the others keep their lines") {
  const Clusters kept = with_lines({.centers = {{100}, {110}, {120}}, .of_line = {0, 2, no_cluster, 2}});
  CHECK(kept.centers == std::vector<std::vector<double>>{{100}, {120}});
  CHECK(kept.of_line == std::vector<int>{0, 1, no_cluster, 1});
}

TEST_CASE("a few SMs tell all clusters apart") {
  const LatencyTable table = Chip().table();
  const Clusters found = find_clusters(table);
  const auto sms = distinguishing_sms(found, lines);
  CHECK(sms.size() < 12);
  std::vector<std::uint32_t> cycles;
  for (const std::size_t sm : sms) {
    for (std::size_t line = 0; line < lines; ++line) cycles.push_back(static_cast<std::uint32_t>(table[line][sm]));
  }
  CHECK(assign(LatencyTable(cycles, std::vector<double>(sms.size(), 1)), found, sms) == found.of_line);
}

TEST_CASE("lines are told apart although fewer SMs delay clusters unequally") {
  const LatencyTable table = Chip{.slices = 2, .spread = 3}.table();
  const Clusters found = find_clusters(table);
  REQUIRE(found.centers.size() == 2);
  std::vector<std::size_t> sms(found.scatter.size());
  std::iota(sms.begin(), sms.end(), std::size_t{0});
  // Lines of the first cluster come half the way to the second one.
  std::vector<std::uint32_t> cycles;
  for (const std::size_t sm : sms) {
    const double shift = 0.5 * (found.centers[1][sm] - found.centers[0][sm]);
    for (std::size_t line = 0; line < lines; ++line) {
      const double moved = table[line][sm] + (found.of_line[line] == 0 ? shift : 0);
      cycles.push_back(static_cast<std::uint32_t>(std::lround(moved)));
    }
  }
  const LatencyTable again(cycles, std::vector<double>(sms.size(), 1));
  CHECK(assign(again, found, sms) != found.of_line);
  std::vector<int> known = found.of_line;
  for (std::size_t line = 40; line < lines; ++line) known[line] = no_cluster;
  CHECK(assign(again, recentered(found, again, known, sms), sms) == found.of_line);
}

TEST_CASE("slices that one run tells apart and another does not are counted once, in either") {
  // Distances of neighbours in units of the noise. The first is near what is distinct, and left out in other runs.
  const auto clusters_at = [](const std::vector<double>& distances) {
    Clusters clusters{.centers = {{300}}, .of_line = std::vector<int>(2048), .scatter = {1}};
    for (const double distance : distances) clusters.centers.push_back({clusters.centers.back().front() + distance});
    return clusters;
  };
  const SureClusters run = sure_clusters(clusters_at({9.9, 12, 18, 18.5, 25}));
  const SureClusters other = sure_clusters(clusters_at({12.2, 17.8, 18.6, 25.3}));
  CHECK(run.count == 4);
  CHECK(other.count == 4);
  CHECK(run.of_cluster == std::vector<std::size_t>{0, 0, 0, 1, 2, 3});
  CHECK(run.separation == Approx(std::sqrt(12 * 18.0)));
}

TEST_CASE("clusters far from each other are all counted") {
  const SureClusters found = sure_clusters(find_clusters(Chip().table()));
  CHECK(found.count == 8);
  CHECK(found.separation == 0);
}
