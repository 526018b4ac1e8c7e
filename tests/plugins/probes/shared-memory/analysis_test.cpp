#include <algorithm>
#include <stdexcept>
#include <vector>

#include "analysis_access_time.hpp"
#include "analysis_conflicts.hpp"
#include "analysis_sizes.hpp"
#include "analysis_throughput.hpp"
#include "catch.hpp"

using namespace tomograph::shared_memory;

namespace {

/// The largest CTAs of which 1, 2, 4 and 8 fit an SM of so many bytes, where each takes `reserved` bytes more.
std::array<std::int64_t, cta_counts.size()> largest_of(std::int64_t size, std::int64_t reserved) {
  std::array<std::int64_t, cta_counts.size()> largest{};
  for (std::size_t i = 0; i < largest.size(); ++i) largest[i] = size / cta_counts[i] - reserved;
  return largest;
}

}  // namespace

TEST_CASE("the size of an SM and what it reserves follow from the largest CTAs of which several fit") {
  for (const std::int64_t reserved : {0, 1024}) {
    const auto found = sm_size(largest_of(228 * 1024, reserved));
    REQUIRE(found);
    CHECK(found->size == 228 * 1024);
    CHECK(found->reserved == reserved);
    CHECK(found->confirmed == 2);
  }
}

TEST_CASE("a limit of a single CTA does not hide the size of the SM") {
  auto largest = largest_of(100 * 1024, 1024);
  largest[0] = 48 * 1024;
  const auto found = sm_size(largest);
  REQUIRE(found);
  CHECK(found->size == 100 * 1024);
  CHECK(found->confirmed == 1);
}

TEST_CASE("largest CTAs that do not add up to one size give none") {
  CHECK_FALSE(sm_size({48 * 1024, 48 * 1024, 48 * 1024, 48 * 1024}));
  CHECK_FALSE(sm_size({64 * 1024, 20 * 1024, 15 * 1024, 1024}));
}

TEST_CASE("candidates lie inside the bracket, ascend, and end where hardware allocates no smaller unit") {
  const auto sizes = candidates({.runs = 1000, .refused = 100000});
  CHECK(sizes.size() == 15);
  CHECK(std::ranges::is_sorted(sizes));
  CHECK(sizes.front() > 1000);
  CHECK(sizes.back() < 100000);
  for (const std::int64_t size : sizes) CHECK(size % 16 == 0);
  CHECK(candidates({.runs = 4096, .refused = 4104}).empty());
}

TEST_CASE("an access time is the median of the samples, precise if they are many and agree") {
  const std::vector<double> same(16, 23.0);
  const AccessTime time = access_time(same);
  CHECK(time.cycles == 23);
  CHECK(time.relative_ci == 0);
  CHECK(is_precise(same));
  CHECK_FALSE(is_precise(std::vector<double>(15, 23.0)));
  std::vector<double> scattered;
  for (int i = 0; i < 64; ++i) scattered.push_back(23.0 + i % 8);
  CHECK(access_time(scattered).low == 23);
  CHECK(access_time(scattered).high == 30);
  CHECK_FALSE(is_precise(scattered));
  CHECK_THROWS_AS(access_time({}), std::invalid_argument);
}

TEST_CASE("the median lies beyond all of n samples with the probability of n tosses of one side") {
  CHECK(median_error(1) == 1);
  CHECK(median_error(16) == Approx(3.05e-5).epsilon(0.01));
}

TEST_CASE("conflicts of two lanes give the pattern and what a conflict costs") {
  Distances distances;
  for (std::int64_t bytes = word; bytes <= 2048; bytes += word) {
    distances.bytes.push_back(static_cast<double>(bytes));
    distances.cycles.push_back((bytes % 128 == 0 ? 25 : 23) + 0.01 * static_cast<double>(bytes % 3));
  }
  find_pattern(distances, word);
  REQUIRE(distances.pattern);
  CHECK(*distances.pattern == BankPattern{32, 4, 4});
  CHECK(conflict_cycles(distances) == Approx(2).margin(0.05));
}

TEST_CASE("distances of one latency show no conflicts") {
  Distances distances{.bytes = {4, 8, 12}, .cycles = {23, 23, 23}};
  find_pattern(distances, word);
  CHECK_FALSE(distances.threshold);
  CHECK_FALSE(distances.pattern);
}

TEST_CASE("lanes are served together up to the one that takes a further pass") {
  std::vector<double> cycles(32, 23);
  CHECK(lanes_together(cycles, 2) == 32);
  std::fill(cycles.begin() + 16, cycles.end(), 25);
  CHECK(lanes_together(cycles, 2) == 16);
}

TEST_CASE("an access takes the passes of the conflict of the same latency, or none that is known") {
  const LatencyOfPasses known{{1, 23}, {2, 25}, {4, 29}};
  CHECK(passes_of(25.2, known, 2) == 2);
  CHECK_FALSE(passes_of(27, known, 2));
  CHECK_FALSE(passes_of(23, {}, 2));
}

TEST_CASE("the highest points are those of one operation and width, best first") {
  using tomograph::shared_access::Operation;
  const std::vector<Point> points{{{Operation::load, 4, 1, 1, 1}, 10},
                                  {{Operation::load, 4, 8, 1, 1}, 80},
                                  {{Operation::load, 8, 8, 1, 1}, 120},
                                  {{Operation::copy, 4, 8, 1, 1}, 90},
                                  {{Operation::load, 4, 32, 1, 1}, 127}};
  const auto best = highest(points, Operation::load, 4, 2);
  REQUIRE(best.size() == 2);
  CHECK(best[0].bytes_per_cycle == 127);
  CHECK(best[1].bytes_per_cycle == 80);
}

TEST_CASE("the fewest warps at the roof are counted by ILP, and left out where none reach it") {
  using tomograph::shared_access::Operation;
  const std::vector<Point> points{{{Operation::load, 4, 16, 1, 1}, 100}, {{Operation::load, 4, 32, 1, 1}, 126},
                                  {{Operation::load, 4, 16, 2, 1}, 128}, {{Operation::load, 4, 8, 1, 4}, 124},
                                  {{Operation::load, 4, 4, 1, 2}, 60},   {{Operation::copy, 4, 1, 1, 1}, 128}};
  const std::vector<std::pair<std::int64_t, std::int64_t>> expected{{1, 32}, {4, 8}};
  CHECK(warps_at_the_roof(points, 128) == expected);
}

TEST_CASE("the surface of a GPU has loads of all widths and copies of words") {
  using tomograph::shared_access::Operation;
  const auto all = surface();
  for (const std::int64_t width : widths) {
    CHECK(std::ranges::any_of(all,
                              [&](const auto& one) { return one.operation == Operation::load && one.width == width; }));
  }
  CHECK(
      std::ranges::all_of(all, [](const auto& one) { return one.operation == Operation::load || one.width == word; }));
  CHECK(bytes_of({Operation::copy, 4, 2, 3, 1}) == 2 * bytes_of({Operation::load, 4, 2, 3, 1}));
}
