#include <algorithm>
#include <functional>

#include "acquire_footprint.hpp"
#include "catch.hpp"

namespace {

using namespace tomograph;
using namespace tomograph::constant_cache;

/// A level that holds the first 20 blocks of 64 B, and counts the loads that a program times.
struct Level {
  std::int64_t most_timed = 0;

  std::vector<chase::Result> operator()(std::span<const chase::Program> programs) {
    std::vector<chase::Result> results;
    for (const chase::Program& program : programs) {
      chase::Result& result = results.emplace_back();
      std::int64_t timed = 0;
      for (const chase::Phase& phase : program.phases) {
        if (phase.timing != chase::Timing::each) continue;
        const chase::Ring& ring = program.rings[static_cast<std::size_t>(phase.ring)];
        const auto nodes = chase::node_offsets(ring);
        result.traces.emplace_back();
        for (std::int64_t i = 0; i < phase.loads; ++i, ++timed) {
          const auto node = nodes[static_cast<std::size_t>(phase.first + i)];
          const bool held = ring.array == 0 && node < 20 * 64;
          result.traces.back().latency.push_back(held ? 60 : 200);
        }
      }
      most_timed = std::max(most_timed, timed);
    }
    return results;
  }
};

}  // namespace

TEST_CASE("a device that keeps few timed loads gets smaller programs, which show the same") {
  const ConstantSpace space{.block_bytes = 64, .blocks_per_array = 32, .arrays = 2};
  const std::vector<std::vector<std::int64_t>> footprints{first_blocks(48), {0, 3, 19, 20, 31, 32, 40}};
  cache::Subject subject{.path = chase::Path::constant, .threshold = {.cycles = 100}, .before = 40};
  for (const std::int64_t kept : {8192, 96, 10, 2}) {
    Level level;
    subject.most_timed = kept;
    const auto walks = walk_footprints(std::ref(level), subject, space, footprints);
    CHECK(level.most_timed <= kept);
    REQUIRE(walks.size() == 2);
    CHECK(walks[0].missing() == 28);
    CHECK(walks[0].latencies.size() == 96);
    CHECK(walks[1].states == std::vector{LineState::held, LineState::held, LineState::held, LineState::missing,
                                         LineState::missing, LineState::missing, LineState::missing});
  }
}
