#include "tomograph/l2_lines.hpp"

#include <algorithm>

#include "catch.hpp"
#include "edited_arrays.hpp"

using namespace tomograph;
using Catch::Matchers::ContainsSubstring;

namespace {

l2_lines::Latencies some_latencies() {
  return {.memory = {2, 128}, .lines = {5, 3, 16384}, .sms = {1, 4}, .rounds = 4, .trial = 2};
}

l2_lines::Contention some_contention() {
  return {.memory = {1, 64}, .sets = {{1, 2}, {7}}, .sms = {}, .warps = 8, .loads = 16, .trial = 1};
}

l2_lines::Evictions some_evictions() {
  return {.memory = {2, 128},
          .step = 3,
          .tests = {{{{5, 2}, {9, 1}}, {{0, 10}, {100, 1}}}, {{{7, 1}}, {}}},
          .walks = 2,
          .observers = {0},
          .walkers = {0, 1},
          .limit = 300,
          .trial = 4};
}

l2_lines::Loads some_loads() {
  return {.memory = {2, 128}, .lines = {5, 9, 6, 7}, .width = 2, .sm = 3, .rest = 64, .trial = 1};
}

}  // namespace

TEST_CASE("requests for single lines come back as they were") {
  CHECK(l2_lines::decode_latencies(encode(some_latencies())) == some_latencies());
  CHECK(l2_lines::decode_contention(encode(some_contention())) == some_contention());
  CHECK(l2_lines::decode_evictions(encode(some_evictions())) == some_evictions());
  auto atomic = some_contention();
  atomic.atomic = true;
  CHECK(l2_lines::decode_contention(encode(atomic)) == atomic);
  CHECK(encode(some_contention()).parameters.size() + 1 == encode(atomic).parameters.size());  // as in 1.0
  CHECK(l2_lines::decode_loads(encode(some_loads())) == some_loads());
  auto apart = some_loads();
  apart.apart = 40;
  CHECK(l2_lines::decode_loads(encode(apart)) == apart);
  CHECK(encode(some_loads()).parameters.size() + 1 == encode(apart).parameters.size());  // as in 1.0
  CHECK_FALSE(violation(apart));
  apart.width = 1;
  CHECK(violation(apart)->find("apart") == 0);
  CHECK_FALSE(violation(some_loads()));
  CHECK_FALSE(violation(some_evictions()));
  CHECK_FALSE(violation(some_latencies()));
  CHECK_FALSE(violation(some_contention()));
}

TEST_CASE("answers come back as they were, and fit their program") {
  const l2_lines::LatencyResult latencies{{1, 2, 3, 4, 5, 6}, {0.5, 0.25}, {100, 200}};
  CHECK(decode_result(some_latencies(), Answer{encode(latencies)}) == latencies);
  const l2_lines::ContentionResult contention{{1, 2}, {30, 40}};
  CHECK(decode_result(some_contention(), Answer{encode(contention)}) == contention);
  const l2_lines::EvictionResult evictions{{1, 3}, {400, 500}};
  CHECK(decode_result(some_evictions(), Answer{encode(evictions)}) == evictions);
  const l2_lines::LoadsResult loads{{10, 900}, {500, 600}, 1e-6, 1500};
  CHECK(decode_result(some_loads(), Answer{encode(loads)}) == loads);
  CHECK_THROWS_WITH(decode_result(some_loads(), Answer{encode(l2_lines::LoadsResult{{10}, {500}, 1e-6, 1500})}),
                    ContainsSubstring("'start'"));
  CHECK_THROWS_WITH(decode_result(some_evictions(), Answer{encode(l2_lines::EvictionResult{{4}, {400}})}),
                    ContainsSubstring("'late'"));
  CHECK_THROWS_WITH(decode_result(some_evictions(), Answer{encode(l2_lines::EvictionResult{{1}, {}})}),
                    ContainsSubstring("'latency'"));
  const l2_lines::LatencyResult short_one{{1, 2, 3}, {0.5, 0.25}, {100, 200}};
  CHECK_THROWS_WITH(decode_result(some_latencies(), Answer{encode(short_one)}), ContainsSubstring("'latency'"));
}

TEST_CASE("requests for lines that break a rule say which") {
  Experiment experiment = encode(some_contention());
  experiment.parameters = with(experiment.parameters, {"count", std::vector<std::int64_t>{2, 2}});
  CHECK_THROWS_WITH(l2_lines::decode_contention(experiment), ContainsSubstring("'count'"));
  auto latencies = some_latencies();
  latencies.rounds = 5;
  CHECK(violation(latencies).value_or("") == "rounds is 5, must be even");
  latencies = some_latencies();
  latencies.lines = {32768};
  CHECK(violation(latencies).value_or("") == "lines names one that the pages do not have");
  latencies = some_latencies();
  latencies.sms = {4, 4};
  CHECK(violation(latencies).value_or("") == "sms must ascend from 0 or more");
  latencies = some_latencies();
  latencies.memory.line_size = 96;
  CHECK(violation(latencies).value_or("") == "line_size is 96, must be a power of two");
}

TEST_CASE("timed loads that break a rule say which") {
  auto loads = some_loads();
  loads.lines.push_back(1);
  CHECK(violation(loads).value_or("") == "the number of lines must be a multiple of width");
  loads = some_loads();
  loads.rest = 0;
  CHECK(violation(loads).value_or("").starts_with("rest is 0"));
  loads = some_loads();
  loads.width = 3;
  CHECK(violation(loads).value_or("").starts_with("width is 3"));
}

TEST_CASE("tests of evictions that break a rule say which") {
  const auto broken = [](auto change) {
    l2_lines::Evictions program = some_evictions();
    change(program);
    return violation(program).value_or("");
  };
  CHECK(broken([](auto& program) { program.memory.pages = 3; }) == "pages must be a power of two");
  CHECK(broken([](auto& program) { program.step = 2; }) == "step must be odd");
  CHECK(broken([](auto& program) { program.tests.clear(); }) == "there is no test");
  CHECK(broken([](auto& program) { program.tests[0].targets.clear(); }) == "a test has no target");
  CHECK(broken([](auto& program) { program.tests[0].targets[0].first = 32767; }) ==
        "targets are not lines of the pages");
  CHECK(broken([](auto& program) { program.tests[0].walk[1].count = 0; }) ==
        "a walk has places that the pages do not have");
  CHECK(broken([](auto& program) { program.walkers.clear(); }) == "walkers must name at least one SM");
  CHECK(broken([](auto& program) { program.observers = {1, 1}; }) == "observers must ascend from 0 or more");
  Experiment experiment = encode(some_evictions());
  experiment.parameters = with(experiment.parameters, {"walk.runs", std::vector<std::int64_t>{1, 0}});
  CHECK_THROWS_WITH(l2_lines::decode_evictions(experiment), ContainsSubstring("'walk.runs'"));
}

TEST_CASE("places of a walk visit each line once") {
  const l2_lines::Evictions program = some_evictions();
  std::vector<bool> seen(static_cast<std::size_t>(program.memory.lines()));
  for (std::int64_t place = 0; place < program.memory.lines(); ++place) {
    seen.at(static_cast<std::size_t>(program.line_at(place))) = true;
  }
  CHECK(std::ranges::find(seen, false) == seen.end());
}
