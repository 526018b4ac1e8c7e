#include <algorithm>
#include <functional>
#include <numbers>
#include <random>

#include "analysis_latency.hpp"
#include "analysis_partition.hpp"
#include "analysis_size.hpp"
#include "catch.hpp"

namespace {

using namespace tomograph;
using namespace tomograph::data_cache;

/// A GPU whose even SMs are near one partition and whose odd SMs are near the other one, `distance` cycles away.
class TwoPartitions {
 public:
  TwoPartitions(double distance, double noise, double near = 200) : distance_(distance), noise_(noise), near_(near) {}

  /// `reader` loads lines that `loader` has just loaded. Half of the lines belong to each partition.
  FirstTouch touch(std::int64_t loader, std::int64_t reader) {
    FirstTouch seen{loader, reader, {}, {}};
    for (std::int64_t line = 0; line < compared_lines; ++line) {
      const bool copied = loader % 2 == reader % 2 || line % 2 == reader % 2;
      seen.first.push_back(load(!copied));
      seen.second.push_back(load(false));
    }
    return seen;
  }

  double load(bool far) { return near_ + (far ? distance_ : 0) + noise_ * normal_(random_); }

 private:
  double distance_;
  double noise_;
  double near_;
  std::mt19937_64 random_{11};
  std::normal_distribution<double> normal_;
};

Partitions grouped(TwoPartitions gpu, std::int64_t sm_count) {
  FirstTouchGrouping grouping(sm_count);
  while (!grouping.open().empty()) {
    const std::int64_t loader = grouping.open().front();
    std::vector<FirstTouch> touches;
    for (const std::int64_t reader : grouping.open()) touches.push_back(gpu.touch(loader, reader));
    grouping.add(std::move(touches));
  }
  return grouping.partitions();
}

/// The partitions of a GPU of four SMs with one, after `change` of each touch.
Partitions changed(const std::function<void(FirstTouch&)>& change) {
  TwoPartitions gpu(0, 1);
  FirstTouchGrouping grouping(4);
  std::vector<FirstTouch> touches;
  for (const std::int64_t reader : grouping.open()) change(touches.emplace_back(gpu.touch(0, reader)));
  grouping.add(std::move(touches));
  return grouping.partitions();
}

/// Latencies of the same lines from each SM where lines are never copied.
std::vector<std::vector<double>> without_copies(TwoPartitions gpu, std::int64_t sm_count) {
  std::vector<std::vector<double>> latencies(static_cast<std::size_t>(sm_count));
  for (std::size_t sm = 0; sm < latencies.size(); ++sm) {
    for (std::size_t line = 0; line < compared_lines; ++line) latencies[sm].push_back(gpu.load(line % 2 != sm % 2));
  }
  return latencies;
}

}  // namespace

TEST_CASE("SMs that find each other's copies near are of one replicated partition") {
  const Partitions found = grouped({120, 2}, 6);
  CHECK(found.count == 2);
  CHECK(found.replicated);
  CHECK(found.of_sm == std::vector<std::int64_t>{0, 1, 0, 1, 0, 1});
  // All second loads are near, and first loads of the other partition's SMs are far.
  CHECK(found.near.size() == found.matrix.size() * compared_lines);
  CHECK(found.far.size() == 3 * compared_lines / 2);
  CHECK_FALSE(noise_hides_partitions(found));
}

TEST_CASE("a far partition is seen at twelve times the noise of a load") {
  const Partitions found = grouped({30, 3.4 / std::numbers::sqrt2}, 6);
  CHECK(found.count == 2);
  CHECK_FALSE(found.undecided);
}

TEST_CASE("where no load is far there is one partition, and nothing is far") {
  Partitions found = grouped({0, 2}, 6);
  CHECK(found.count == 1);
  CHECK_FALSE(found.replicated);
  CHECK_FALSE(found.undecided);
  CHECK(found.far.empty());
  CHECK(passes_to_see_near_lines(found) > 1);
  CHECK_FALSE(noise_hides_partitions(found));
}

TEST_CASE("where single first loads miss a TLB there is one partition, and nothing is far") {
  const Partitions found = changed([](FirstTouch& touch) {
    for (std::size_t line = 0; line < compared_lines; line += 16) touch.first[line] += 60;
  });
  CHECK(found.count == 1);
  CHECK_FALSE(found.undecided);
  CHECK(found.far.empty());
}

TEST_CASE("a cache that loses lines as soon as they were loaded makes the number of partitions doubtful") {
  const Partitions found = changed([](FirstTouch& touch) {
    for (std::size_t line = 0; line < compared_lines; line += 32) touch.second[line] += 300;
  });
  CHECK(found.loses_lines);
  const Partitions delayed = changed([](FirstTouch& touch) { touch.second.front() += touch.reader == 0 ? 300 : 0; });
  CHECK_FALSE(delayed.loses_lines);
}

TEST_CASE(
    "partitions whose SMs are near no line of another one may be taken for one, so lines lie too close together") {
  CHECK_FALSE(grouped({120, 2}, 6).contradicted());
  TwoPartitions gpu(120, 2);
  FirstTouchGrouping grouping(2);
  FirstTouch far = gpu.touch(0, 0);
  far.reader = 1;
  for (double& cycles : far.first) cycles += 120;
  grouping.add({gpu.touch(0, 0), far});
  grouping.add({gpu.touch(1, 1)});
  CHECK(grouping.partitions().count == 2);
  CHECK(grouping.partitions().contradicted());
}

TEST_CASE("partitions that miss one line in four again and again are doubtful") {
  TwoPartitions gpu(120, 2);
  FirstTouchGrouping grouping(2);
  const auto missing = [](FirstTouch touch) {
    for (std::size_t line = 0; line < compared_lines; line += 8) {
      touch.first[line] += 400;
      touch.second[line] += 400;
    }
    return touch;
  };
  grouping.add({missing(gpu.touch(0, 0)), missing(gpu.touch(0, 1))});
  grouping.add({missing(gpu.touch(1, 1))});
  CHECK(grouping.partitions().count == 2);
  CHECK(grouping.partitions().loses_lines);
}

TEST_CASE("lines that a small cache has lost are no other partition's") {
  const std::vector<double> held(compared_lines, 100);
  std::vector<double> some_lost = held;
  std::fill_n(some_lost.begin(), 13, 300.0);
  std::vector<double> half_lost = held;
  std::fill_n(half_lost.begin(), compared_lines / 2, 300.0);
  // Of another partition's, half would be far: 13 are too few.
  FirstTouchGrouping few(2);
  few.add({{0, 0, held, held}, {0, 1, some_lost, held}});
  few.add({{1, 1, held, held}});
  CHECK(few.partitions().contradicted());
  // Nobody is far from what he has loaded.
  std::vector<double> own = held;
  std::fill_n(own.begin(), 6, 300.0);
  FirstTouchGrouping lost(2);
  lost.add({{0, 0, held, held}, {0, 1, half_lost, held}});
  lost.add({{1, 1, own, held}});
  CHECK(lost.partitions().contradicted());
  FirstTouchGrouping two(2);
  two.add({{0, 0, held, held}, {0, 1, half_lost, held}});
  two.add({{1, 1, held, held}});
  CHECK_FALSE(two.partitions().contradicted());
}

TEST_CASE("an SM that does not find near what it has just loaded itself leaves the number of partitions undecided") {
  TwoPartitions gpu(120, 2);
  FirstTouchGrouping grouping(2);
  grouping.add({gpu.touch(0, 0), gpu.touch(0, 1)});
  FirstTouch own = gpu.touch(1, 1);
  for (std::size_t line = 0; line < compared_lines; line += 4) own.first[line] += 120;
  grouping.add({own});
  CHECK(grouping.partitions().undecided);
}

TEST_CASE("where TLBs know the pages of lines, what comes from memory is later than what another partition holds") {
  TwoPartitions gpu(120, 2);
  FirstTouchGrouping grouping(2, FirstTouchGrouping::Translation::known);
  FirstTouch far = gpu.touch(0, 1);
  for (std::size_t line = 0; line < compared_lines; line += 8) far.first[line] += 400;
  grouping.add({gpu.touch(0, 0), far});
  grouping.add({gpu.touch(1, 1)});
  const Partitions found = grouping.partitions();
  CHECK(found.of_sm == std::vector<std::int64_t>{0, 1});
  CHECK(std::ranges::max(found.far) < 400);
}

TEST_CASE("a distance that shows on average only leaves the number of partitions undecided") {
  const Partitions found = grouped({100, 40}, 6);
  CHECK(found.count == 1);
  CHECK(found.undecided);
  CHECK(noise_hides_partitions(found));
}

TEST_CASE("so much noise that a far partition may be hidden leaves the number of partitions undecided") {
  Partitions found = grouped({0, 80}, 6);
  CHECK(passes_to_see_near_lines(found) == 64);
  CHECK(noise_hides_partitions(found));
}

TEST_CASE("SMs are grouped by the lines that they are near to where partitions keep no copies") {
  Partitions found = grouped({0, 2}, 6);
  split_by_near_lines(found, without_copies({120, 2}, 6));
  CHECK(found.count == 2);
  CHECK_FALSE(found.replicated);
  CHECK(found.of_sm == std::vector<std::int64_t>{0, 1, 0, 1, 0, 1});
  CHECK(found.near.size() == found.far.size());
}

TEST_CASE("a partition that lies a few cycles farther is seen where loads take ten") {
  Partitions found = grouped({0, 0, 10}, 6);
  CHECK(passes_to_see_near_lines(found) == 1);
  split_by_near_lines(found, without_copies({4, 0, 10}, 6));
  CHECK(found.count == 2);
  CHECK(found.of_sm == std::vector<std::int64_t>{0, 1, 0, 1, 0, 1});
}

TEST_CASE("loads of ten cycles that all take as long leave one partition, those that vary by two none") {
  Partitions found = grouped({0, 0, 10}, 6);
  CHECK(passes_to_see_near_lines(found) == 1);
  split_by_near_lines(found, without_copies({0, 0, 10}, 6));
  CHECK(found.count == 1);
  CHECK_FALSE(noise_hides_partitions(found));
  Partitions noisy = grouped({0, 2, 10}, 6);
  CHECK(passes_to_see_near_lines(noisy) == 64);
  CHECK(noise_hides_partitions(noisy));
}

TEST_CASE("a single SM that loads some lines later does not tell the number of partitions") {
  Partitions far = grouped({0, 2}, 1);
  split_by_near_lines(far, without_copies({120, 2}, 1));
  CHECK(noise_hides_partitions(far));
  Partitions one = grouped({0, 2}, 1);
  split_by_near_lines(one, without_copies({0, 2}, 1));
  CHECK(one.count == 1);
  CHECK_FALSE(noise_hides_partitions(one));
}

TEST_CASE("lines that are as near to every SM leave one partition") {
  Partitions found = grouped({0, 2}, 6);
  split_by_near_lines(found, without_copies({0, 2}, 6));
  CHECK(found.count == 1);
  CHECK(found.of_sm == std::vector<std::int64_t>(6, 0));
}

TEST_CASE("lines that the cache loses hide no partitions") {
  Partitions found = grouped({0, 2}, 8);
  auto latencies = without_copies({120, 2}, 8);
  // The first SM loses more than half of its lines, and all SMs those of a quarter of the sets.
  for (std::size_t sm = 0; sm < latencies.size(); ++sm) {
    for (std::size_t line = 0; line < latencies[sm].size(); ++line) {
      const bool is_lost = line % 8 < 2 || (sm == 0 && line % 8 < 6);
      if (is_lost) latencies[sm][line] += 400;
    }
  }
  split_by_near_lines(found, latencies);
  CHECK(found.count == 2);
  CHECK(found.of_sm == std::vector<std::int64_t>{0, 1, 0, 1, 0, 1, 0, 1});
  CHECK(analysis::median(found.far) - analysis::median(found.near) == Approx(120).margin(5));
}

TEST_CASE("slices at more distances than a partition is far hide no partitions, and make none") {
  for (const double far : {0.0, 28.0}) {
    Partitions found = grouped({0, 2}, 6);
    auto latencies = without_copies({far, 2}, 6);
    for (std::size_t sm = 0; sm < latencies.size(); ++sm) {
      for (std::size_t line = 0; line < latencies[sm].size(); ++line) {
        latencies[sm][line] += static_cast<double>(line * 37 % 64) + 5 * static_cast<double>(sm);
        if (line % 8 < 2) latencies[sm][line] += 400;  // lost
      }
    }
    split_by_near_lines(found, latencies);
    CHECK(found.count == (far > 0 ? 2 : 1));
  }
}

TEST_CASE("a late load makes no partition of the other lines of its SM") {
  Partitions found = grouped({0, 2}, 60);
  auto latencies = without_copies({0, 2}, 60);
  for (double& cycles : latencies[3]) cycles -= 3;
  latencies[3][5] += 5000;
  split_by_near_lines(found, latencies);
  CHECK(found.count == 1);
  CHECK_FALSE(found.undecided);
}

TEST_CASE("what noise may hide makes no partitions") {
  Partitions found = grouped({0, 2}, 6);
  found.visible_distance = 130;
  split_by_near_lines(found, without_copies({120, 2}, 6));
  CHECK(found.count == 1);
  found.visible_distance = 110;
  split_by_near_lines(found, without_copies({120, 2}, 6));
  CHECK(found.count == 2);
}

TEST_CASE("too many far lines for one partition and too few for two leave partitions open") {
  FirstTouchGrouping grouping(2);
  const std::vector<double> near(compared_lines, 200);
  std::vector<double> some_far(compared_lines, 200);
  std::fill_n(some_far.begin(), 10, 300);
  grouping.add({{0, 0, near, near}, {0, 1, some_far, near}});
  while (!grouping.open().empty()) grouping.add({{1, 1, near, near}});
  CHECK(grouping.partitions().undecided);
}

TEST_CASE("the median of a line is over its passes, not over its neighbours") {
  const std::vector<double> loads{10, 20, 12, 22, 900, 24};
  CHECK(medians_by_line(loads, 3) == std::vector<double>{12, 22});
}

TEST_CASE("a load from the far partition is no hit") {
  cache::HitAndMiss seen;
  seen.hits.assign(100, 200);
  seen.threshold = analysis::Threshold{600, 0, 0};
  lower_threshold_below(320, seen);
  CHECK(seen.threshold->cycles == 260);
  CHECK(seen.far_hits_are_misses);
  lower_threshold_below(900, seen);
  CHECK(seen.threshold->cycles == 260);
  seen.threshold.reset();
  lower_threshold_below(320, seen);
  CHECK_FALSE(seen.threshold);
}

TEST_CASE("lines that the other partition still held are no misses, where misses take clearly longer") {
  cache::HitAndMiss seen;
  seen.hits.assign(100, 183);
  for (std::size_t i = 0; i < 100; ++i) {
    const double missed_tlb = i % 10 == 0 ? 47 : 0;
    seen.misses.push_back(missed_tlb + (i % 8 == 0 ? 233 : 400));
    seen.again.push_back(missed_tlb + 183);
    seen.programs.push_back(i);
  }
  cache::HitAndMiss near_memory = seen;
  drop_far_hits(233, seen);
  CHECK(std::ranges::min(seen.misses) == 400);
  CHECK(seen.misses.size() == 87);
  CHECK(seen.again.size() == 87);
  CHECK(seen.held_elsewhere == Approx(0.13));
  CHECK(seen.programs.front() == 1);
  for (double& cycles : near_memory.misses) cycles = std::min(cycles, 300.0);
  drop_far_hits(233, near_memory);
  CHECK(near_memory.misses.size() == 100);
}

TEST_CASE("a capacity is in whole lines, and its interval reaches down to what a footprint of its size retains") {
  const Saturation seen{.full = {1000, 10}, .at_knee = {900, 20}, .tests = 100};
  const auto capacity = usable_capacities(std::vector{seen}, 128).front();
  CHECK(capacity.bytes == 1024);
  CHECK(capacity.interval == analysis::Interval{840, 1030});
}

TEST_CASE("how much counts at different places scatter is learnt from all carve-outs") {
  // Sixteen times the scatter of sampling; the few places of the last row happen to agree.
  const Saturation row{.full = {1000, 40, 96, 6}, .at_knee = {950, 20, 48, 3}};
  Saturation agreeing = row;
  agreeing.full = {1000, 10, 6, 6};
  const auto capacities = usable_capacities(std::vector{row, row, row, agreeing}, 8);
  CHECK(capacities.front().interval == analysis::Interval{880, 1120});
  CHECK(capacities.back().interval.low == Approx(890));
  CHECK(capacities.back().interval.high > 1100);
}

TEST_CASE("a small cache takes 32 tests of each line, a large one no more than 25,000") {
  CHECK(tests_for_capacity(4096, 128) == 1024);
  CHECK(tests_for_capacity(std::int64_t{256} << 10, 128) == 25'000);
}

TEST_CASE("rows that would take too many loads have fewer tests") {
  CHECK(affordable_tests(25'000, 4'000'000, 16) == 25'000);
  CHECK(affordable_tests(25'000, 8'000'000, 16) == 12'500);
}
