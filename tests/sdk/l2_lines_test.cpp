#include "tomograph/l2_lines.hpp"

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

}  // namespace

TEST_CASE("requests for single lines come back as they were") {
  CHECK(l2_lines::decode_latencies(encode(some_latencies())) == some_latencies());
  CHECK(l2_lines::decode_contention(encode(some_contention())) == some_contention());
  CHECK_FALSE(violation(some_latencies()));
  CHECK_FALSE(violation(some_contention()));
}

TEST_CASE("answers come back as they were, and fit their program") {
  const l2_lines::LatencyResult latencies{{1, 2, 3, 4, 5, 6}, {0.5, 0.25}, {100, 200}};
  CHECK(decode_result(some_latencies(), Answer{encode(latencies)}) == latencies);
  const l2_lines::ContentionResult contention{{1, 2}, {30, 40}};
  CHECK(decode_result(some_contention(), Answer{encode(contention)}) == contention);
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
