#include "analysis.hpp"
#include "catch.hpp"
#include "experiments.hpp"

using namespace tomograph;
using namespace tomograph::dsmem;

namespace {

ClustersAnswer cluster(std::int64_t resident, std::vector<std::int64_t> seen) { return {resident, std::move(seen)}; }

/// Of `ctas` CTAs that move a pass in `cycles` after `start` cycles that happen once.
Runs runs(double start, double cycles, std::size_t ctas) {
  const auto answer = [&](double passes) {
    return ThroughputAnswer{65536, std::vector<double>(ctas, start + passes * cycles), (start + passes * cycles) / 2};
  };
  return {8, 24, answer(8), answer(24)};
}

}  // namespace

TEST_CASE("the largest cluster is one that was launched, not one for which there would be room") {
  const std::vector answers{cluster(66, {2, 2}), cluster(40, {3, 3, 3}), cluster(2, {})};
  CHECK(largest_cluster(2, answers) == 3);
  CHECK(largest_cluster(2, std::vector{cluster(0, {}), cluster(5, {1, 1, 1})}) == 0);
  CHECK(largest_cluster(2, {}) == 0);
}

TEST_CASE("latencies of a cluster are sorted into own, neighbouring and all other memory") {
  // Two clusters of three; a pair is reader * 10 + target.
  const std::vector<double> cycles{0, 1, 2, 10, 11, 12, 20, 21, 22, 0, 1, 2, 10, 11, 12, 20, 21, 22};
  const PairLatencies pairs = sort_pairs(3, cycles);
  CHECK(pairs.own == std::vector<double>{0, 11, 22, 0, 11, 22});
  CHECK(pairs.neighbour == std::vector<double>{1, 10, 12, 21, 1, 10, 12, 21});
  CHECK(pairs.other.size() == 12);
  CHECK_THROWS_AS(sort_pairs(4, cycles), std::invalid_argument);
}

TEST_CASE("throughput is what the longer run took longer, whatever happens once in a run") {
  CHECK(bytes_per_cycle(runs(0, 3072, 4)) == Approx(65536.0 / 3072));
  CHECK(bytes_per_cycle(runs(5000, 3072, 4)) == Approx(65536.0 / 3072));
  CHECK(bytes_per_second(runs(5000, 3072, 4)) == Approx(4 * 65536.0 / 1536e-9));
  CHECK(bytes_per_cycle(runs(5000, 0, 4)) == 0);
  CHECK(bytes_per_second(runs(5000, -1, 4)) == 0);
}

TEST_CASE("trials that differ widen the interval, which always covers them") {
  const Seen same = summarize(std::vector<double>{20, 20, 20}, 0.01);
  CHECK(same.value == 20);
  CHECK(same.interval.low == Approx(19.8));
  const Seen apart = summarize(std::vector<double>{19, 20, 22}, 0.01);
  CHECK(apart.value == Approx(61.0 / 3));
  CHECK(apart.interval.low == Approx(19 - 3 - 0.61 / 3));
  CHECK(apart.interval.high == Approx(22 + 3 + 0.61 / 3));
}

TEST_CASE("what most trials agree about counts, not the one that was late") {
  CHECK(summarize(std::vector<double>{20, 21, 22, 23, 900}, 0.01).value == 22);
  CHECK(summarize(std::vector<double>{20, 20, 24, 24}, 0.01).value == 22);
}

TEST_CASE("requests survive their form as experiments, and those that make no sense are named") {
  const ThroughputRequest request{.size = 8,
                                  .operation = Operation::store,
                                  .partner = Partner::spread,
                                  .space = Space::global,
                                  .width = 16,
                                  .passes = 24,
                                  .trial = 2};
  const ThroughputRequest back = decode_throughput(encode(request));
  CHECK(encode(back) == encode(request));
  CHECK(decode_clusters(encode(ClustersRequest{7})).size == 7);
  CHECK(decode_latency(encode(LatencyRequest{.size = 5, .loads = 48, .trial = 1})).loads == 48);
  CHECK(decode_handover(encode(HandoverRequest{.space = Space::global, .rounds = 9})).space == Space::global);
  ThroughputRequest wrong = request;
  wrong.width = 8;
  CHECK_THROWS_WITH(decode_throughput(encode(wrong)), Catch::Matchers::ContainsSubstring("'width'"));
  wrong = request;
  wrong.size = 1;
  CHECK_THROWS_WITH(decode_throughput(encode(wrong)), Catch::Matchers::ContainsSubstring("'size'"));
}
