#include "catch.hpp"
#include "cuda/occupancy/runs.hpp"

using namespace tomograph;
using namespace tomograph::cuda;

namespace {

/// Those of an H200.
constexpr SmLimits limits{
    .sms = 132, .warps = 64, .ctas = 32, .shared_per_sm = 233472, .shared_per_block = 232448, .shared_reserved = 1024};

}  // namespace

TEST_CASE("shared memory is chosen so that an SM holds exactly the requested number of CTAs") {
  constexpr std::int64_t fixed = 16;
  for (std::int64_t ctas = 1; ctas <= limits.ctas; ++ctas) {
    const std::int64_t each = shared_for(ctas, fixed, limits) + fixed + limits.shared_reserved;
    CHECK(ctas * each <= limits.shared_per_sm);
    CHECK((ctas + 1) * each > limits.shared_per_sm);
  }
}

TEST_CASE("more CTAs or warps than an SM holds are impossible") {
  CHECK_FALSE(impossibility({.ctas = 2, .warps = 32}, limits));
  CHECK(impossibility({.ctas = 33, .warps = 1}, limits));
  CHECK(impossibility({.ctas = 3, .warps = 32}, limits));
}

TEST_CASE("the run of an SM lasts from its first CTA's start to its last CTA's end") {
  const std::vector<Span> spans{{100, 200, 1, 0}, {110, 250, 1, 0}, {5, 15, 0, 0}, {15, 40, 0, 0}};
  const auto runs = sm_runs(spans, 2, 2);
  CHECK(runs == std::vector<SmRun>{{35, 0, 2, 1}, {150, 1, 2, 2}});
}

TEST_CASE("repetitions are taken from SMs evenly over all of them") {
  std::vector<Span> spans;
  for (std::uint32_t sm = 0; sm < 8; ++sm) spans.push_back({0, 10, sm, 0});
  const auto runs = sm_runs(spans, 8, 4);
  REQUIRE(runs.size() == 4);
  CHECK(runs[1].sm == 2);
  CHECK(runs[3].sm == 6);
}
