#include <memory>
#include <numeric>
#include <random>

#include "analysis_l2_sets.hpp"
#include "catch.hpp"
#include "large_l2.hpp"
#include "tomograph/analysis/queue_policies.hpp"

namespace {

using namespace tomograph;
using namespace tomograph::data_cache;

std::vector<std::int64_t> many_lines() {
  std::vector<std::int64_t> lines(100);
  std::iota(lines.begin(), lines.end(), 0);
  return lines;
}

/// Visits to a set of `of` ways that hit as `hits_of` says.
template <typename Hits>
Visits visits_with(Hits hits_of, std::uint64_t seed, std::int64_t of = ways) {
  const auto lines = visits_to(many_lines(), of, seed);
  REQUIRE(lines);
  const std::vector<bool> all = hits_of(*lines, static_cast<std::size_t>(of));
  return {*lines, {all.end() - static_cast<std::ptrdiff_t>(compared_visits(of)), all.end()}};
}

}  // namespace

TEST_CASE("the number of sets is the most even one of those that the counts allow") {
  // Two GPUs: counts of lines at home, of which 4,194,048 / 2 lie in 256 pages.
  const std::vector<std::int64_t> h200{139, 139, 139, 140, 139, 140, 139, 139, 139, 140, 139, 139};
  const auto sets = count_sets(h200, 2097024, {47});
  REQUIRE(sets);
  CHECK(sets->value == 15040);  // 320 a slice
  CHECK(sets->interval.low < 15040);
  CHECK(sets->interval.high > 15040);
  CHECK(sets->doubt < 0.05);
  CHECK(count_sets(h200, 2097024, {1})->doubt > 0.25);  // more than is published
  // One line more than belongs to a set, in a run on an H100 of 12,800 sets.
  const std::vector<std::int64_t> h100{164, 164, 164, 164, 165, 164, 164, 164, 164, 164, 164, 164};
  CHECK(count_sets(h100, 2097024, {40})->value == 12800);
  CHECK(count_sets(std::vector<std::int64_t>(12, 256), 4194048, {1})->value == 16384);
  CHECK_FALSE(count_sets(std::vector<std::int64_t>{256}, 4194048, {1}));
}

TEST_CASE("a group of candidates has at most a quarter of the ways of the sets that hold lines of its parity") {
  const std::vector<std::vector<std::int64_t>> sets{
      {0, 10, 20, 30, 40}, {1, 11, 21, 31, 41}, {3, 13, 23, 33, 43}, {5, 15, 25, 35, 45}};
  const std::vector<std::int64_t> lines{2, 4, 7, 9, 17, 19};
  CHECK(apart_from_neighbours(lines, sets) == std::vector<std::vector<std::int64_t>>{{2}, {4}, {7, 9, 17}, {19}});
}

TEST_CASE("a line that is late whatever evicts it belongs to no set, but two searches may find one set") {
  using Sets = std::vector<std::vector<std::int64_t>>;
  Sets sets{{1, 2, 9}, {1, 2, 9}, {3, 4, 8}};
  Sets copies{{8}, {7, 8}, {9}};
  drop_lines_of_many_sets(sets, copies);
  CHECK(sets == Sets{{1, 2}, {1, 2}, {3, 4}});
  CHECK(copies == Sets{{}, {7}, {}});
}

TEST_CASE("lines that are late by chance do not hide a number of sets on which nearly all counts agree") {
  // A run on an H200 of 15,040 sets, in which lines of two sets were late for another reason.
  const std::vector<std::int64_t> h200{140, 143, 140, 140, 140, 140, 147, 140, 139, 139, 140, 152, 139};
  const auto sets = count_sets(h200, 2097024, {47});
  REQUIRE(sets);
  CHECK(sets->value == 15040);
  CHECK(sets->doubt < 0.05);
}

TEST_CASE("a number that few of a dozen sets have may be that of many sets") {
  // A run on an H200 of 15,040 sets: one in 2.3 has 140 lines, one of twelve was found.
  const std::vector<std::int64_t> h200{139, 140, 139, 139, 139, 139, 139, 139, 139, 139, 139, 139};
  const auto sets = count_sets(h200, 2097024, {47});
  REQUIRE(sets);
  CHECK(sets->value == 15040);
  CHECK(sets->doubt < 0.05);
}

TEST_CASE("the interval from counts of an even index covers its number of sets in 99 of 100 samples") {
  constexpr std::int64_t lines = 2097024;
  std::mt19937_64 random(1);
  int outside = 0;
  for (int sample = 0; sample < 2000; ++sample) {
    const auto truth = static_cast<std::int64_t>(47 * (64 + random() % 512));
    std::vector<std::int64_t> counts;
    for (int set = 0; set < 12; ++set) {
      const auto number = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(truth));
      counts.push_back(lines / truth + (number < lines % truth ? 1 : 0));
    }
    const auto sets = count_sets(counts, lines, {47});
    REQUIRE(sets);
    const auto exact = static_cast<double>(truth);
    outside += sets->interval.low > exact || sets->interval.high < exact ? 1 : 0;
  }
  CHECK(outside < 20);
}

TEST_CASE("counts that chance keeps together leave the number of sets as open as before") {
  const std::vector<std::int64_t> few{1, 2, 3, 2, 6, 2, 3, 1};
  const auto sets = count_sets(few, 2048, {1});
  REQUIRE(sets);
  CHECK(sets->interval.low < 2048 / 3.5);
  CHECK(sets->interval.high > 2048 / 2.5);
}

TEST_CASE("counts that scatter leave the number of sets open") {
  const auto sets = count_sets(std::vector<std::int64_t>{100, 140, 90, 160, 120, 150}, 2097024, {40});
  REQUIRE(sets);
  CHECK(sets->doubt > 0.2);
}

TEST_CASE("a size known from elsewhere decides between numbers of sets") {
  // A third of the sets has 82 lines, another 85, the last 89, of which chance found more: 6,144 sets.
  const std::vector<std::int64_t> counts{82, 85, 89, 89, 89, 85, 82, 89, 89, 89, 82, 85};
  const auto alone = count_sets(counts, 524256, {1});
  REQUIRE(alone);
  CHECK(alone->interval.high < 6144);
  const auto sets = count_sets(counts, 524256, {1}, analysis::Interval{6080, 6200});
  REQUIRE(sets);
  CHECK(sets->value == 6144);
  CHECK(sets->doubt < 0.1);
  CHECK_FALSE(count_sets(counts, 524256, {1}, analysis::Interval{9000, 9100})->value);
}

TEST_CASE("the number of sets is a multiple of those that parities of the index tell apart") {
  // 16,351 to 16,525 sets of 47 slices: nothing tells which number of these, but the index knows 16,384 sets.
  const std::vector<std::int64_t> counts{128, 127, 128, 127, 128, 127, 127, 128, 128, 127, 127, 128};
  CHECK(count_sets(counts, 2097024, {47})->doubt > 0.25);
  const auto of_index = count_sets(counts, 2097024, {47, 16384});
  REQUIRE(of_index);
  CHECK(of_index->value == 16384);
  CHECK(of_index->doubt == 0);
  // Where more than one number is such a multiple, slices decide, unless their multiples are none.
  const std::vector<std::int64_t> h100{164, 164, 164, 164, 165, 164, 164, 164, 164, 164, 164, 164};
  CHECK(count_sets(h100, 2097024, {40, 32})->value == 12800);
  CHECK_FALSE(count_sets(h100, 2097024, {40, 65536})->value);
  CHECK_FALSE(count_sets(h100, 2097024, {30011})->value);
}

TEST_CASE("an index that is a remainder shows in the distance of neighbours, one that scatters lines does not") {
  constexpr std::int64_t page = 16384;
  std::vector<std::vector<std::int64_t>> regular(2);
  std::vector<std::vector<std::int64_t>> scattered(2);
  std::mt19937_64 random(3);
  for (std::int64_t first = 0; first < 20 * page; first += page) {
    const auto own = static_cast<std::int64_t>(random() % 4096);
    for (auto& lines : regular) lines.insert(lines.end(), {first + own, first + own + 6144, first + own + 2 * 6144});
    for (auto& lines : scattered) {
      lines.insert(lines.end(), {first + own, first + own + 1 + static_cast<std::int64_t>(random() % 8192)});
    }
  }
  CHECK(usual_distance(regular, page) == 6144);
  regular.front().insert(regular.front().begin() + 1, regular.front().front() + 7);  // late for another reason
  CHECK(usual_distance(regular, page) == 6144);
  CHECK_FALSE(usual_distance(scattered, page));
  CHECK_FALSE(usual_distance(std::vector<std::vector<std::int64_t>>{{1, 2, 3}}, page));
}

TEST_CASE("memory is told from copies where few pages leave one partition most lines") {
  std::vector<double> latencies(75, 640);
  latencies.resize(100, 342);
  latencies.push_back(916);  // a refresh
  const double threshold = memory_threshold(latencies, 2);
  CHECK(threshold > 342);
  CHECK(threshold < 640);
}

TEST_CASE("lines that memory serves are slower than those of another partition by the widest gap") {
  const std::vector<double> latencies{430, 560, 440, 545, 452, 551, 438, 700, 447, 549};
  const double threshold = memory_threshold(latencies, 2);
  CHECK(threshold > 452);
  CHECK(threshold < 545);
  CHECK(memory_threshold(latencies, 1) == 0);
  CHECK(memory_threshold(std::vector<double>{400}, 2) == 0);
}

TEST_CASE("LRU and FIFO are named where they explain each visit") {
  const std::vector lru{visits_with(analysis::lru_hits, 1), visits_with(analysis::lru_hits, 2)};
  CHECK(queue_policy(lru, ways).name == "lru");
  const std::vector fifo{visits_with(analysis::fifo_hits, 1), visits_with(analysis::fifo_hits, 2)};
  CHECK(queue_policy(fifo, ways).name == "fifo");
  CHECK(queue_policy(fifo, ways).telling > 5);
}

TEST_CASE("LRU is named in sets of two ways, where tree-PLRU is the same") {
  const std::vector seen{visits_with(analysis::lru_hits, 1, 2), visits_with(analysis::lru_hits, 2, 2)};
  CHECK(queue_policy(seen, 2).name == "lru");
}

TEST_CASE("visits that LRU often fails to explain are not LRU, and a disturbed one leaves the policy open") {
  std::vector disturbed{visits_with(analysis::lru_hits, 1)};
  disturbed.front().hits[5] = !disturbed.front().hits[5];
  CHECK(queue_policy(disturbed, ways).name.empty());
  for (std::size_t i = 0; i < 20; ++i) disturbed.front().hits[i] = !disturbed.front().hits[i];
  CHECK(queue_policy(disturbed, ways).name == "not-lru");
}

TEST_CASE("too few lines of a set tell no policy") { CHECK_FALSE(visits_to(std::vector<std::int64_t>(55), ways, 1)); }

namespace {

/// Measured once for all test cases, since that takes seconds under sanitizers. Its device cannot time misses.
MemoryHost& measured_lru() {
  static const auto host = [] {
    auto measured = std::make_unique<MemoryHost>();
    measure(gpu_with_large_l2(sim::Replacement::Policy::lru), *measured);
    return measured;
  }();
  return *host;
}

}  // namespace

TEST_CASE("sets of an L2 that no page overflows are found among lines of many pages") {
  MemoryHost& host = measured_lru();
  CHECK(host.published["l2.ways"].value == ways);
  CHECK(host.published["l2.sets"].value == 512);
  CHECK(host.published["l2.replacement"].value == "lru");
  CHECK(host.absent.contains("l2.way_probability"));
  CHECK(host.published["l2.index"].value == Json{{"kind", "bits"}, {"bits", {8, 9, 10, 11, 12, 13, 14, 15, 16}}});
}

TEST_CASE("the banks behind an L2 and their refreshes are found by misses of one set") {
  sim::Gpu gpu = gpu_with_large_l2(sim::Replacement::Policy::lru);
  gpu.dram.channel = {
      .banks = 24, .row = 2048, .run = 512, .conflict_cycles = 70, .refresh_period = 4100, .refresh_cycles = 360};
  MemoryHost host;
  measure(gpu, host);
  CHECK(host.published["dram.channel.banks"].value == 24);
  const auto& penalty = host.published["dram.bank_conflict_penalty"];
  CHECK(penalty.value.get<double>() == Approx(70).margin(2));
  CHECK(penalty.interval_low <= 70);
  CHECK(host.published["dram.refresh.period"].value.get<double>() == Approx(4.1e-6).epsilon(0.001));
  CHECK(host.published["dram.refresh.duration"].value.get<double>() == Approx(3.6e-7).epsilon(0.1));
  CHECK(host.published["dram.row.run"].value == 512);
  const auto& hit = host.published["dram.row.hit_penalty"];
  CHECK(hit.interval_low <= 0);
  CHECK(std::abs(hit.value.get<double>()) < 5);
  CHECK(host.published["dram.row.stays_open"].value == false);
}

TEST_CASE("a device older than the parameter by which rows are found tells the banks all the same") {
  sim::Gpu gpu = gpu_with_large_l2(sim::Replacement::Policy::lru);
  gpu.dram.channel = {
      .banks = 24, .row = 2048, .run = 512, .conflict_cycles = 70, .refresh_period = 4100, .refresh_cycles = 360};
  MemoryHost host;
  measure(gpu, host, "apart");
  CHECK(host.published["dram.channel.banks"].value == 24);
  for (const char* key : {"dram.row.run", "dram.row.hit_penalty", "dram.row.stays_open"}) {
    CHECK(host.inconclusive.contains(key));
  }
}

TEST_CASE("a device that cannot time misses leaves the banks open, and tells the sets all the same") {
  MemoryHost& host = measured_lru();
  CHECK(host.published["l2.sets"].value == 512);
  CHECK(host.inconclusive.contains("dram.channel.banks"));
  CHECK(host.inconclusive.contains("dram.refresh.period"));
}

TEST_CASE("sets whose victims are random are not called LRU") {
  MemoryHost host;
  measure(gpu_with_large_l2(sim::Replacement::Policy::random), host);
  if (host.published.contains("l2.replacement")) CHECK(host.published["l2.replacement"].value == "not-lru");
  if (host.published.contains("l2.ways")) CHECK(host.published["l2.ways"].value == ways);
  if (host.published.contains("l2.sets")) CHECK(host.published["l2.sets"].value == 512);
}
