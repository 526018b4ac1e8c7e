#include "analysis_clusters.hpp"
#include "analysis_latency.hpp"
#include "analysis_throughput.hpp"
#include "catch.hpp"
#include "experiments.hpp"

using namespace tomograph;
using namespace tomograph::dsmem;

namespace {

ClustersAnswer cluster(std::int64_t resident, std::vector<std::int64_t> seen) { return {resident, std::move(seen)}; }

/// Runs of `ctas` CTAs that take `start` cycles once and `cycles` for each pass.
Runs runs(double start, double cycles, std::size_t ctas) {
  const auto answer = [&](double passes) {
    return ThroughputAnswer{65536, std::vector<double>(ctas, start + passes * cycles), (start + passes * cycles) / 2};
  };
  return {8, 24, answer(8), answer(24)};
}

}  // namespace

TEST_CASE("the largest cluster is one that was launched, not one that the driver has room for") {
  const std::vector answers{cluster(66, {2, 2}), cluster(40, {3, 3, 3}), cluster(2, {})};
  CHECK(largest_cluster(2, answers) == 3);
  CHECK(largest_cluster(2, std::vector{cluster(0, {}), cluster(5, {1, 1, 1})}) == 0);
  CHECK(largest_cluster(2, {}) == 0);
}

TEST_CASE("latencies of a cluster are sorted into those of own, neighbouring and all other memory") {
  // Two clusters of three; a pair is reader * 10 + target.
  const std::vector<double> cycles{0, 1, 2, 10, 11, 12, 20, 21, 22, 0, 1, 2, 10, 11, 12, 20, 21, 22};
  const PairLatencies pairs = sort_pairs(3, cycles);
  CHECK(pairs.own == std::vector<double>{0, 11, 22, 0, 11, 22});
  CHECK(pairs.neighbour == std::vector<double>{1, 10, 12, 21, 1, 10, 12, 21});
  CHECK(pairs.other.size() == 12);
  CHECK_THROWS_AS(sort_pairs(4, cycles), std::invalid_argument);
}

TEST_CASE("throughput follows from the difference of two runs, whatever a run costs once") {
  CHECK(bytes_per_cycle(runs(0, 3072, 4)) == Approx(65536.0 / 3072));
  CHECK(bytes_per_cycle(runs(5000, 3072, 4)) == Approx(65536.0 / 3072));
  CHECK(bytes_per_second(runs(5000, 3072, 4)) == Approx(4 * 65536.0 / 1536e-9));
  CHECK(bytes_per_cycle(runs(5000, 0, 4)) == 0);
  CHECK(bytes_per_second(runs(5000, -1, 4)) == 0);
}

TEST_CASE("trials that differ widen the interval, which always covers them") {
  const Estimate same = summarize(std::vector<double>{20, 20, 20}, 0.01);
  CHECK(same.value == 20);
  CHECK(same.interval.low == Approx(19.8));
  const Estimate apart = summarize(std::vector<double>{19, 20, 22}, 0.01);
  CHECK(apart.value == Approx(61.0 / 3));
  CHECK(apart.interval.low == Approx(19 - 3 - 0.61 / 3));
  CHECK(apart.interval.high == Approx(22 + 3 + 0.61 / 3));
}

TEST_CASE("one slow trial does not change the estimate") {
  CHECK(summarize(std::vector<double>{20, 21, 22, 23, 900}, 0.01).value == 22);
  CHECK(summarize(std::vector<double>{20, 20, 24, 24}, 0.01).value == 22);
}

TEST_CASE("the latency of several cluster sizes is the median over all their pairs, in each trial") {
  const auto sizes = [](double slower) {
    const PairLatencies two{{33, 33}, {180, 182 + slower}, {180, 182 + slower}};
    const PairLatencies three{{33}, {190}, {190, 200, 210}};
    return std::vector<SizeLatencies>{{2, {two, two}}, {3, {three, three}}};
  };
  CHECK(median_latency(sizes(0), &PairLatencies::other).value == 190);
  CHECK(median_latency(sizes(0), &PairLatencies::own).value == 33);
  CHECK(median_latency(sizes(100), &PairLatencies::other).value == 200);
  CHECK(median_latency(sizes(0), &PairLatencies::other).trials == 2);
}

TEST_CASE("quantiles of latency are those of the pairs of different CTAs in the trial that nothing lengthened") {
  const PairLatencies pairs{{33}, {181}, {181, 199, 218}};
  const PairLatencies disturbed{{33}, {181}, {181, 199, 134195581}};
  const auto quantiles = latency_quantiles(std::vector<SizeLatencies>{{2, {disturbed, pairs}}});
  CHECK(quantiles.front().first == 0.01);
  CHECK(quantiles.front().second == Approx(181.36));
  CHECK(quantiles[3] == std::pair{0.5, 199.0});
  CHECK(quantiles.back().first == 0.99);
  CHECK(quantiles.back().second == Approx(217.62));
}

TEST_CASE("the best access pattern is chosen among those of one operation and one space") {
  const auto measured = [](Operation operation, Partner partner, Space space, double per_sm, double total) {
    return Measurement{{.operation = operation, .partner = partner, .space = space}, {per_sm, {}, 9}, {total, {}, 9}};
  };
  const std::vector all{measured(Operation::load, Partner::other_half, Space::cluster, 21, 2e12),
                        measured(Operation::load, Partner::next, Space::cluster, 15, 4e12),
                        measured(Operation::load, Partner::next, Space::global, 30, 8e12),
                        measured(Operation::store, Partner::next, Space::cluster, 40, 9e12)};
  CHECK(best(all, Operation::load, Space::cluster, &Measurement::per_sm).per_sm.value == 21);
  CHECK(best(all, Operation::load, Space::cluster, &Measurement::total).total.value == 4e12);
  CHECK(best(all, Operation::load, Space::global, &Measurement::total).total.value == 8e12);
  CHECK(best_exchange(all).per_sm.value == 15);
}

TEST_CASE("experiments decode to the requests that they were encoded from, and wrong parameters are named") {
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
