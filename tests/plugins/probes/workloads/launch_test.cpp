#include <vector>

#include "analysis_launch.hpp"
#include "catch.hpp"
#include "experiments.hpp"

using namespace tomograph::workloads;

namespace {

/// An SM whose places each run CTAs of `life` cycles, `gap` cycles after one another. All places start together.
std::vector<CtaSpan> one_after_the_other(std::uint64_t places, std::uint64_t rounds, std::uint64_t life,
                                         std::uint64_t gap, std::uint64_t sm) {
  std::vector<CtaSpan> ctas;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (std::uint64_t place = 0; place < places; ++place) {
      const std::uint64_t begin = 1000 + place + round * (life + gap);
      ctas.push_back({begin, begin + life, sm});
    }
  }
  return ctas;
}

}  // namespace

TEST_CASE("turnover is the time for which a place is empty, and the rate that of all SMs") {
  auto ctas = one_after_the_other(4, 50, 300, 100, 0);
  const auto other = one_after_the_other(4, 50, 300, 100, 7);
  ctas.insert(ctas.end(), other.begin(), other.end());
  const Succession found = succession_of(ctas, 4);
  CHECK(found.turnover == Approx(100));
  CHECK(found.rate == Approx(2 * 4 / 400.0).epsilon(0.01));
}

TEST_CASE("the order in which CTAs are listed does not matter") {
  auto ctas = one_after_the_other(2, 20, 50, 10, 3);
  const Succession listed = succession_of(ctas, 2);
  const std::vector<CtaSpan> reversed(ctas.rbegin(), ctas.rend());
  CHECK(succession_of(reversed, 2).turnover == listed.turnover);
  CHECK(succession_of(reversed, 2).rate == listed.rate);
}

TEST_CASE("CTAs that all fit at once tell nothing of how they follow each other") {
  CHECK_THROWS_AS(succession_of(one_after_the_other(8, 1, 50, 10, 0), 8), std::invalid_argument);
}

TEST_CASE("requests for launches survive the way to the device, and nonsense does not") {
  const LaunchRequest request{.warps = 8, .wait_cycles = 512, .rounds = 4, .repetitions = 3};
  const LaunchRequest decoded = decode_launch(encode(request));
  CHECK(decoded.warps == 8);
  CHECK(decoded.wait_cycles == 512);
  CHECK(decoded.rounds == 4);
  CHECK(decoded.repetitions == 3);
  CHECK_THROWS_AS(decode_launch(encode(LaunchRequest{.warps = 33})), std::invalid_argument);
  CHECK_THROWS_AS(decode_launch(encode(LaunchRequest{.rounds = 2})), std::invalid_argument);
}
