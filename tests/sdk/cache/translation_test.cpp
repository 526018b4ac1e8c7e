#include "tomograph/cache/translation.hpp"

#include <random>

#include "catch.hpp"
#include "simulated_cache.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace {

using namespace tomograph;
using namespace tomograph::testing;

constexpr std::int64_t kibibyte = 1024;

/// TLBs of few entries, each of one page, before an L2 of 512 KiB.
sim::Gpu gpu_of_pages(std::int64_t page) {
  sim::Gpu gpu = small_gpu();
  gpu.noise.l2_sigma = 2;
  gpu.translation.page_size = page;
  gpu.translation.tlb = {sim::tlb(page, {16}, 20), sim::tlb(page, {64}, 150)};
  return gpu;
}

/// 128 differences of two loads, `missing` of them longer by a miss of 12 cycles.
std::vector<double> visits(std::mt19937_64& random, int missing) {
  std::normal_distribution<double> noise(0, 2.8);
  std::vector<double> cycles;
  for (int visit = 0; visit < 128; ++visit) cycles.push_back(std::round(noise(random)) + (visit < missing ? 12 : 0));
  return cycles;
}

/// Answers each timed load with the offset of its node, without overhead.
std::vector<chase::Result> offsets_as_latencies(std::span<const chase::Program> programs) {
  std::vector<chase::Result> results;
  for (const chase::Program& program : programs) {
    chase::Result& result = results.emplace_back();
    for (const chase::Phase& phase : program.phases) {
      const auto nodes = chase::node_offsets(program.rings[static_cast<std::size_t>(phase.ring)]);
      chase::Result::Trace trace;
      for (std::int64_t load = phase.first; load < phase.first + phase.loads; ++load) {
        const auto node = static_cast<std::size_t>(load) % nodes.size();
        trace.latency.push_back(static_cast<std::uint32_t>(nodes[node]));
        trace.node.push_back(static_cast<std::uint32_t>(node));
      }
      if (phase.timing == chase::Timing::each) result.traces.push_back(trace);
      if (phase.timing == chase::Timing::total) {
        double sum = 0;
        for (const std::uint32_t latency : trace.latency) sum += latency;
        result.totals.push_back(sum);
      }
    }
  }
  return results;
}

}  // namespace

TEST_CASE(
    "visits of which three quarters miss a TLB are told from the same ones translated, and those that hit are not") {
  std::mt19937_64 random(1);
  for (int draw = 0; draw < 2000; ++draw) {
    const auto translated = visits(random, 0);
    CHECK(cache::translated_alike(visits(random, 0), translated));
    CHECK_FALSE(cache::translated_alike(visits(random, 96), translated));
  }
}

TEST_CASE("lines that a cache loses now and then are no misses of a TLB") {
  std::mt19937_64 random(1);
  const double share = GENERATE(0.05, 0.2, 0.45, 0.5, 0.7);
  std::bernoulli_distribution is_lost(share);
  const auto losing = [&] {
    std::vector<double> cycles = visits(random, 0);
    for (double& one : cycles) one += is_lost(random) ? 400 : 0;
    return cycles;
  };
  for (int draw = 0; draw < 2000; ++draw) CHECK(cache::translated_alike(losing(), losing()));
}

TEST_CASE("pages smaller than 64 KiB show, larger ones do not") {
  const auto [page, is_small] =
      GENERATE(table<std::int64_t, bool>({{4, true}, {16, true}, {64, false}, {2048, false}}));
  INFO(page);
  CHECK(cache::has_small_pages(executor_of(gpu_of_pages(page * kibibyte))) == is_small);
}

TEST_CASE("with translations, programs have the results of the loads that they time, and no two nodes overlap") {
  chase::Program program;
  program.arrays = {{16 * kibibyte}};
  program.actors = {{}};
  program.rings = {{0, 0, 128, 64}, {.array = 0, .nodes = {8, 2056, 4104, 12296}}};
  program.phases = {
      {0, 0, 0, 64, chase::Timing::untimed}, {0, 1, 1, 6, chase::Timing::each}, {0, 1, 0, 4, chase::Timing::total}};
  const auto expected = offsets_as_latencies({&program, 1}).front();
  std::vector<chase::Program> asked;
  const auto execute = cache::with_translations([&asked](std::span<const chase::Program> programs) {
    asked.assign(programs.begin(), programs.end());
    return offsets_as_latencies(programs);
  });
  const auto result = execute({&program, 1}).front();
  REQUIRE(result.traces.size() == 1);
  CHECK(result.traces.front().latency == expected.traces.front().latency);
  CHECK(result.traces.front().node == expected.traces.front().node);
  CHECK(result.totals == expected.totals);
  CHECK_FALSE(chase::violation(asked.front()));
  const auto nodes = chase::node_offsets(asked.front().rings[1]);
  for (std::size_t load = 0; load < nodes.size(); load += 2) {
    CHECK(nodes[load] / (4 * kibibyte) == nodes[load + 1] / (4 * kibibyte));
    CHECK(std::abs(nodes[load] - nodes[load + 1]) >= kibibyte);
  }
}

TEST_CASE("hits and misses of L2 take as long as they do, though the TLB holds an eighth of it") {
  const cache::Subject subject{.path = chase::Path::global_cg, .shared = true, .sm = 0};
  const auto seen = cache::shared_hit_and_miss(cache::with_translations(executor_of(gpu_of_pages(4 * kibibyte))),
                                               subject, 2048 * kibibyte, 2);
  REQUIRE(seen.threshold);
  for (const double cycles : seen.cycles_by_sm()) CHECK(cycles == Approx(200).margin(1));
  CHECK(analysis::median(seen.penalties().cycles) == Approx(300).margin(3));
}
