#include "analysis_latency.hpp"
#include "analysis_throughput.hpp"
#include "catch.hpp"
#include "experiments.hpp"

using namespace tomograph;
using namespace tomograph::tma;

namespace {

/// Tiles from 128 B to 128 KiB that take `fixed` cycles up to `hidden` bytes, and `per_kib` cycles more for each
/// further KiB.
std::vector<ByTile> latencies(double fixed, double per_kib, double hidden) {
  std::vector<ByTile> points;
  for (std::int64_t tile = 128; tile <= 128 * 1024; tile *= 2) {
    const double beyond = static_cast<double>(tile) - hidden;
    points.push_back({tile, fixed + (beyond > 0 ? beyond / 1024 * per_kib : 0)});
  }
  return points;
}

}  // namespace

TEST_CASE("polls of copies give the latency of the fastest ones, whatever the times of the polls") {
  // Ten copies take 605, 615, ... 695 cycles. Each is polled at every time; polls are closer together from 620 on.
  LatencyAnswer polls;
  for (std::int64_t poll = 300; poll <= 1000; poll += poll < 620 ? 7 : 2) {
    for (std::int64_t copy = 0; copy < 10; ++copy) {
      polls.cycles.push_back(poll);
      polls.done.push_back(poll >= 605 + 10 * copy ? 1 : 0);
    }
  }
  CHECK(mean_of_fastest(polls, 0.3).value() == Approx(615).margin(3));
  CHECK(mean_of_fastest(polls, 1).value() == Approx(650).margin(3));
}

TEST_CASE("polls that all come too early or all too late give no latency") {
  CHECK_FALSE(mean_of_fastest({{300, 400, 500}, {0, 0, 0}}, 0.3).has_value());
  CHECK_FALSE(mean_of_fastest({{300, 400, 500}, {1, 1, 1}}, 0.3).has_value());
  CHECK(mean_of_fastest({{500, 300, 400}, {1, 0, 1}}, 1).value() == 350);
}

TEST_CASE("the fastest of timed copies are those with the shortest times") {
  const std::vector<double> times{700, 600, 610, 650, 2000, 620, 640, 630, 690, 660};
  CHECK(mean_of_fastest(times, 0.3) == 610);
  CHECK(mean_of_fastest(times, 1) == 780);
  CHECK(mean_of_fastest(std::vector<double>{42}, 0.3) == 42);
}

TEST_CASE("latency by tile has a fixed part for small tiles and a slope for large ones") {
  const auto fit = fit_latency(latencies(500, 9, 8192));
  REQUIRE(fit);
  CHECK(fit->fixed == Approx(500).epsilon(0.01));
  CHECK(fit->per_kib == Approx(9).epsilon(0.01));
  CHECK(fit->per_kib_interval.low <= fit->per_kib);
  CHECK(fit->per_kib <= fit->per_kib_interval.high);
}

TEST_CASE("one slow tile hardly changes the slope") {
  auto points = latencies(500, 9, 8192);
  points[9].value += 300;
  const auto fit = fit_latency(points);
  REQUIRE(fit);
  CHECK(fit->per_kib == Approx(9).epsilon(0.1));
}

TEST_CASE("tiles with equal latencies have no slope") { CHECK_FALSE(fit_latency(latencies(500, 0, 0))); }

TEST_CASE("the TMA wins from the tile on after which threads are never faster") {
  const std::vector<ByTile> tma{{512, 1}, {1024, 2}, {2048, 4}, {4096, 8}};
  const std::vector<ByTile> threads{{512, 2}, {1024, 2.01}, {2048, 3}, {4096, 7}};
  const std::vector<std::vector<ByTile>> others{threads};
  CHECK(winning_from(tma, others, 0.03) == 1024);
  CHECK(winning_from(tma, others, 0.001) == 2048);
  const std::vector<ByTile> always{{512, 0}, {1024, 0}, {2048, 0}, {4096, 9}};
  CHECK_FALSE(winning_from(tma, std::vector{threads, always}, 0.03));
  CHECK(winning_from(tma, {}, 0.03) == 512);
}

TEST_CASE("a run that something slowed down does not make the next configuration the fastest") {
  const Bandwidth fastest = summarize({}, {3.02e12, 3.01e12, 2.7e12, 3.02e12, 3.03e12});
  const Bandwidth next = summarize({}, {2.72e12, 2.73e12, 2.72e12, 2.73e12, 2.72e12});
  CHECK(fastest.dependable > next.dependable);
  CHECK(fastest.interval.low < next.interval.low);
  CHECK(summarize({}, {2e12}).dependable == 2e12);
}

TEST_CASE("the saturating tile is the smallest one near the highest bandwidth") {
  const std::vector<ByTile> values{{1024, 2e12}, {2048, 4.1e12}, {4096, 4.5e12}, {8192, 4.4e12}};
  CHECK(saturating_tile(values, 0.9) == 2048);
  CHECK(saturating_tile(values, 0.99) == 4096);
}

TEST_CASE("the tile that reaches a bandwidth is interpolated between its two neighbours") {
  const std::vector<ByTile> values{{1024, 1e12}, {2048, 2e12}, {4096, 4e12}, {8192, 4.4e12}, {16384, 4.3e12}};
  CHECK(reaching_tile(values, 3e12) == 3072);
  CHECK(reaching_tile(values, 4e12) == 4096);
  CHECK(reaching_tile(values, 4.4e12) == 8192);
  CHECK_FALSE(reaching_tile(values, 1e12).has_value());
  CHECK_FALSE(reaching_tile(values, 5e12).has_value());
}

TEST_CASE("a single copy by the TMA wins from the tile on after which no copy by threads takes less time") {
  const std::vector<ByTile> tma{{512, 600}, {1024, 600}, {2048, 610}, {4096, 640}};
  const std::vector<ByTile> threads{{512, 500}, {1024, 595}, {2048, 700}, {4096, 900}};
  CHECK(fastest_from(tma, {threads}) == 1024);
  const std::vector<ByTile> fast{{512, 500}, {1024, 500}, {2048, 500}, {4096, 500}};
  CHECK_FALSE(fastest_from(tma, {threads, fast}));
}

TEST_CASE("the fastest candidates of each group are chosen, groups in order") {
  const auto candidate = [](std::size_t kind, std::int64_t tile, double value) {
    return Candidate{kind, {.tile = tile}, value};
  };
  const std::vector all{candidate(1, 128, 5), candidate(0, 128, 1), candidate(0, 128, 3), candidate(0, 128, 2)};
  const auto chosen =
      fastest_of_each(std::span<const Candidate>(all), 2, [](const Candidate& one) { return one.kind; });
  REQUIRE(chosen.size() == 3);
  CHECK(chosen[0].value == 3);
  CHECK(chosen[1].value == 2);
  CHECK(chosen[2].kind == 1);
}

TEST_CASE("saturating tiles by CTAs leave out those that measured tiles do not enclose") {
  const std::map<std::int64_t, std::vector<ByTile>> curves{{1, {{1024, 1e12}, {2048, 2e12}, {4096, 4e12}}},
                                                           {4, {{1024, 4e12}, {2048, 4e12}, {4096, 4e12}}}};
  const auto tiles = saturating_by_ctas(curves, 4e12, 0.75);
  REQUIRE(tiles.size() == 1);
  CHECK(tiles[0].ctas == 1);
  CHECK(tiles[0].tile == 3072);
  CHECK(tiles[0].interval.low < 3072);
  CHECK(tiles[0].interval.high > 3072);
}

TEST_CASE("experiments decode to the requests that they were encoded from, and wrong parameters are named") {
  const ThroughputRequest request{.method = Method::tensor,
                                  .direction = Direction::store,
                                  .tile = 4096,
                                  .stages = 4,
                                  .ctas_per_sm = 2,
                                  .region = 1 << 25,
                                  .sm_bytes = 1 << 20,
                                  .trial = 3};
  CHECK(encode(decode_throughput(encode(request))) == encode(request));
  const auto complaint = [](ThroughputRequest wrong) {
    try {
      static_cast<void>(decode_throughput(encode(wrong)));
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  using Catch::Matchers::ContainsSubstring;
  ThroughputRequest wrong = request;
  wrong.tile = 64 * 1024;  // more rows than a box can have
  CHECK_THAT(complaint(wrong), ContainsSubstring("'tile'"));
  wrong = request;
  wrong.stages = 3;
  CHECK_THAT(complaint(wrong), ContainsSubstring("'stages'"));
  wrong = request;
  wrong.method = Method::plain;
  CHECK_THAT(complaint(wrong), ContainsSubstring("'direction'"));
  wrong = request;
  wrong.cluster = 4;
  CHECK_THAT(complaint(wrong), ContainsSubstring("'cluster'"));
  const LatencyRequest latency{.method = Method::bulk, .tile = 12288, .rounds = 32};
  CHECK(decode_latency(encode(latency)).tile == 12288);
}
