#include "tomograph/analysis/median_fact.hpp"

#include <stdexcept>
#include <vector>

#include "catch.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

using namespace tomograph;

TEST_CASE("the median as a fact has the interval of the sample, and its coverage as confidence") {
  std::vector<double> sample(99, 210);
  sample.back() = 4000;
  const Fact fact = analysis::median_fact("some.latency", sample, "loads");
  CHECK(fact.key == "some.latency");
  CHECK(fact.value.get<double>() == 210);
  CHECK(fact.evidence == "loads");
  CHECK(fact.samples == 99);
  REQUIRE(fact.interval);
  CHECK(fact.interval->high == 210);
  CHECK(fact.confidence == analysis::median_interval(sample, confidence::median_interval).coverage);
  CHECK_THROWS_AS(analysis::median_fact("some.latency", {}, "loads"), std::invalid_argument);
}
