#include "score.hpp"

#include "catch.hpp"

namespace {

using namespace independent;

Json topology_with(std::int64_t size, double confidence, const char* status = "measured") {
  return {{"l1_data", {{"size", {{"value", size}, {"confidence", confidence}, {"method", "a-method"}}}}},
          {"probes", {{"data-cache/l1.size", {{"status", status}}}}}};
}

Score scored(const Json& topology) {
  Score score("known");
  score.add(1, {{.key = "l1_data.size", .value = 65536}}, topology);
  return score;
}

}  // namespace

TEST_CASE("a GPU passes whose certain fact is right, though it is too few for calibration") {
  CHECK(scored(topology_with(65536, 0.99)).passes());
  CHECK_FALSE(scored(topology_with(65536, 0.99)).meets_limits());
  CHECK(scored(topology_with(65536, 0.999)).meets_limits());
}

TEST_CASE("a wrong certain fact, a missing one, a failed probe and a failed run do not pass") {
  CHECK_FALSE(scored(topology_with(32768, 0.99)).passes());
  CHECK_FALSE(scored(Json::object()).passes());
  CHECK_FALSE(scored(topology_with(65536, 0.99, "timed-out")).passes());
  Score failed = scored(topology_with(65536, 0.99));
  failed.add_failure(2, "the run printed no topology");
  CHECK_FALSE(failed.passes());
}

TEST_CASE("a fact that was not asked for is not missing, and wrong if it is published all the same") {
  const std::vector<Expected> truth{{.key = "l1_data.size", .value = 65536}, {.key = "l2.size", .value = 4096}};
  Score score("known");
  score.add(1, truth, topology_with(65536, 0.99), {"tlb.*", "l1_*"});
  CHECK(score.passes());
  score.add(2, truth, topology_with(65536, 0.99), {"l?.size"});
  CHECK_FALSE(score.passes());
  Score wrong("known");
  wrong.add(1, truth, topology_with(32768, 0.99), {"l2.*"});
  CHECK_FALSE(wrong.passes());
}

TEST_CASE("each published fact is a claim, which holds if its interval covers the truth") {
  Json topology = topology_with(65000, 0.95);
  CHECK_FALSE(scored(topology).claims().front().holds);
  topology["l1_data"]["size"]["interval"] = {65000, 66000};
  const auto claims = scored(topology).claims();
  REQUIRE(claims.size() == 1);
  CHECK(claims.front().holds);
  CHECK(claims.front().simulator == "independent");
  CHECK(claims.front().method == "a-method");
}
