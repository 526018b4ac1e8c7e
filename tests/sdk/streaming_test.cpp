#include "tomograph/streaming.hpp"

#include <set>

#include "catch.hpp"
#include "edited_arrays.hpp"

using Catch::Matchers::ContainsSubstring;
using tomograph::Answer;
using tomograph::Experiment;

namespace streaming = tomograph::streaming;

namespace {

streaming::Program rich_program() {
  return {.operation = streaming::Operation::copy,
          .load = streaming::Load::ca,
          .element = 8,
          .ilp = 4,
          .threads = 96,
          .ctas_per_sm = 3,
          .sms = {5, 0, 7},
          .bytes = 123456,
          .distribution = streaming::Distribution::sliced,
          .warm_passes = 0,
          .passes = 9,
          .carveout = 4096,
          .trial = 2};
}

Experiment with(const char* name, std::int64_t value) {
  Experiment experiment = streaming::encode(rich_program());
  experiment.parameters = tomograph::with(experiment.parameters, {name, value});
  return experiment;
}

std::string complaint(const char* name, std::int64_t value) {
  return streaming::violation(streaming::decode(with(name, value))).value_or("");
}

}  // namespace

TEST_CASE("a streaming program survives the boundary unchanged") {
  CHECK(streaming::decode(streaming::encode(rich_program())) == rich_program());
  const streaming::Program plain{.bytes = 1 << 20};
  CHECK(streaming::decode(streaming::encode(plain)) == plain);
  CHECK_FALSE(streaming::violation(rich_program()));
}

TEST_CASE("absent parameters of streaming take the defaults of the header") {
  const std::set<std::string_view> optional{"load", "sm", "deal", "warm_passes", "carveout", "trial"};
  Experiment experiment = streaming::encode(rich_program());
  experiment.parameters = only(experiment.parameters, [&](std::string_view name) { return !optional.contains(name); });
  const auto decoded = streaming::decode(experiment);
  CHECK(decoded.load == streaming::Load::cg);
  CHECK(decoded.sms.empty());
  CHECK(decoded.distribution == streaming::Distribution::interleaved);
  CHECK(decoded.warm_passes == 1);
  CHECK(decoded.carveout == streaming::default_carveout);
  CHECK(decoded.trial == 0);
}

TEST_CASE("a request that is no streaming program names the parameter at fault") {
  CHECK_THROWS_WITH(streaming::decode(with("operation", 3)), ContainsSubstring("'operation'"));
  CHECK_THROWS_WITH(streaming::decode(with("deal", 3)), ContainsSubstring("'deal'"));
  Experiment missing = streaming::encode(rich_program());
  missing.parameters = without(missing.parameters, "passes");
  CHECK_THROWS_WITH(streaming::decode(missing), ContainsSubstring("passes"));
  Experiment repeated = streaming::encode(rich_program());
  repeated.parameters.add({"ilp", std::int64_t{1}});
  CHECK_THROWS_WITH(streaming::decode(repeated), ContainsSubstring("'ilp' occurs twice"));
  Experiment unknown = streaming::encode(rich_program());
  unknown.parameters.add({"speed", std::int64_t{1}});
  CHECK_THROWS_WITH(streaming::decode(unknown), ContainsSubstring("unknown"));
}

TEST_CASE("what no device could stream is a violation") {
  CHECK_THAT(complaint("element", 3), ContainsSubstring("element"));
  CHECK_THAT(complaint("element", 32), ContainsSubstring("element"));
  CHECK_THAT(complaint("ilp", 16), ContainsSubstring("ilp"));
  CHECK_THAT(complaint("threads", 48), ContainsSubstring("multiple of 32"));
  CHECK_THAT(complaint("ctas_per_sm", 0), ContainsSubstring("CTAs"));
  CHECK_THAT(complaint("bytes", 0), ContainsSubstring("footprint"));
  CHECK_THAT(complaint("passes", 0), ContainsSubstring("passes"));
  CHECK_THAT(complaint("warm_passes", -1), ContainsSubstring("warm-up"));
  CHECK_THAT(complaint("load", TOMOGRAPH_STREAM_NC), ContainsSubstring("only reads"));
  streaming::Program constants{.load = streaming::Load::constant, .element = 2, .bytes = 64};
  CHECK_THAT(streaming::violation(constants).value_or(""), ContainsSubstring("4, 8 or 16 B"));
  constants.element = 4;
  CHECK(!streaming::violation(constants));
  constants.distribution = streaming::Distribution::sliced;
  CHECK_THAT(streaming::violation(constants).value_or(""), ContainsSubstring("not distributed"));
  streaming::Program twice = rich_program();
  twice.sms = {3, 1, 3};
  CHECK_THAT(streaming::violation(twice).value_or(""), ContainsSubstring("twice"));
}

TEST_CASE("a footprint is rounded to whole turns of all warps, and never to nothing") {
  streaming::Program program{.element = 16, .ilp = 2, .threads = 64, .bytes = 100'000};
  const std::int64_t turn_of_sm = 2 * 64 * 2 * 16;
  CHECK(streaming::rounded_footprint(program, 2, 3) == 100'000 / (3 * turn_of_sm) * (3 * turn_of_sm));
  program.distribution = streaming::Distribution::sliced;
  CHECK(streaming::rounded_footprint(program, 2, 3) == 100'000 / 3 / turn_of_sm * turn_of_sm * 3);
  program.bytes = 1;
  CHECK(streaming::rounded_footprint(program, 2, 3) == 3 * turn_of_sm);
  program.distribution = streaming::Distribution::queued;
  CHECK(streaming::rounded_footprint(program, 2, 3) == 3 * turn_of_sm);
  CHECK(streaming::bytes_in_flight(program, 2, 3) == 3 * turn_of_sm);
}

TEST_CASE("each warp reads all constants, one element at a time") {
  const streaming::Program program{
      .load = streaming::Load::constant, .element = 8, .ilp = 4, .threads = 64, .bytes = 1000, .passes = 3};
  CHECK(streaming::rounded_footprint(program, 2, 5) == 992);
  CHECK(streaming::bytes_moved(program, 992, 2, 5) == 992 * 3 * 5 * 2 * 2);
  CHECK(streaming::bytes_in_flight(program, 2, 5) == 5 * 2 * 2 * 4 * 8);
}

TEST_CASE("a result survives the boundary and says what each SM moves per cycle") {
  const streaming::Result result{.elapsed_ns = 1000,
                                 .cycles = {1000, 2000},
                                 .clock_hz = 2e9,
                                 .moved = 64000,
                                 .footprint = 32000,
                                 .ctas_per_sm = 2};
  const auto decoded = streaming::decode_result(Answer{streaming::encode(result)});
  CHECK(decoded.cycles == result.cycles);
  CHECK(decoded.clock_hz == 2e9);
  CHECK(decoded.footprint == 32000);
  CHECK(decoded.ctas_per_sm == 2);
  CHECK(decoded.bandwidth() == Approx(64e9));
  CHECK(decoded.bytes_per_cycle() == std::vector<double>{32, 16});
}
