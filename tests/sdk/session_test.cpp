#include "tomograph/session.hpp"

#include <array>
#include <cmath>

#include "catch.hpp"
#include "memory_host.hpp"

using Catch::Matchers::ContainsSubstring;
using tomograph::Answer;
using tomograph::Experiment;
using tomograph::Fact;
using tomograph::Session;

namespace chase = tomograph::chase;

namespace {

constexpr auto line_size = tomograph::fact_spec("l1_data.line_size", TOMOGRAPH_INTEGER, "B", TOMOGRAPH_PER_SM, "Line");
constexpr std::array declared{&line_size};

const chase::Program program{.arrays = {{.bytes = 4096}},
                             .rings = {{.stride = 128, .count = 2}},
                             .actors = {{}},
                             .phases = {{.loads = 2, .timing = chase::Timing::each}}};

}  // namespace

TEST_CASE("a published fact takes the unit of its declaration") {
  MemoryHost host;
  Session(*host.abi(), declared)
      .publish({.key = "l1_data.line_size", .value = 128, .method = "stride", .confidence = 0.99});
  const auto& published = host.published.at("l1_data.line_size");
  CHECK(published.value == 128);
  CHECK(published.unit == "B");
  CHECK(std::isnan(published.interval_low));
}

TEST_CASE("an interval reaches the host") {
  MemoryHost host;
  Session(*host.abi(), declared)
      .publish(
          {.key = "l1_data.line_size", .value = 128, .method = "stride", .interval = tomograph::Interval{120, 130}});
  CHECK(host.published.at("l1_data.line_size").interval_low == 120);
}

TEST_CASE("an undeclared fact is an error of the probe, one that the host refuses costs no other") {
  MemoryHost host;
  const Session session(*host.abi(), declared);
  CHECK_THROWS_WITH(session.publish({.key = "l1_data.sets", .value = 4, .method = "stride"}),
                    ContainsSubstring("l1_data.sets is not declared"));
  host.publish_status = TOMOGRAPH_INVALID;
  CHECK_NOTHROW(session.publish({.key = "l1_data.line_size", .value = 4, .method = "stride"}));
  CHECK_THROWS_WITH(session.publish({.key = "device.sm_count", .value = 4, .method = "api"}, "1"),
                    ContainsSubstring("host refused"));
}

TEST_CASE("facts and parameters arrive in the type asked for") {
  MemoryHost host;
  host.facts["l1_data.line_size"] = R"({"value": 128, "unit": "B"})";
  host.parameters["repeats"] = "7";
  const Session session(*host.abi());
  CHECK(session.fact<int>("l1_data.line_size") == 128);
  CHECK(session.needed<int>("l1_data.line_size") == 128);
  CHECK(session.fact<int>("l2.line_size") == std::nullopt);
  CHECK_THROWS_WITH(session.needed<int>("l2.line_size"), ContainsSubstring("l2.line_size"));
  CHECK(session.parameter<int>("repeats") == 7);
  CHECK_THROWS_WITH(session.parameter<int>("colour"), ContainsSubstring("colour is not declared"));
}

TEST_CASE("a fact that the device lacks is told from one that nobody knows") {
  MemoryHost host;
  host.absences["l2.latency.far"] = "there is one partition";
  const Session session(*host.abi());
  CHECK(session.absence("l2.latency.far") == "there is one partition");
  CHECK(session.absence("l2.latency") == std::nullopt);
}

TEST_CASE("evidence and outcomes reach the host") {
  MemoryHost host;
  const Session session(*host.abi(), declared);
  const std::vector<tomograph::NamedArray> curve{{"size_B", std::vector<double>{1, 2}},
                                                 {"ratio", std::vector<double>{0}}};
  session.evidence("l1_data.size", curve);
  session.inconclusive("l1_data.line_size", "too noisy");
  session.progress(0.5);
  CHECK(host.evidence.at("l1_data.size") == curve);
  CHECK(host.inconclusive.at("l1_data.line_size") == "too noisy");
  CHECK(host.progress == 0.5);
}

TEST_CASE("chase programs are answered in the order of the batch") {
  MemoryHost host;
  host.device = [](const std::vector<Experiment>& batch, const tomograph_result_sink& sink) -> tomograph_status {
    for (std::uint64_t i = batch.size(); i-- > 0;) {
      const auto latency = static_cast<std::uint32_t>(chase::decode(batch[i]).trial);
      const chase::Result result{.traces = {{{latency, latency}, {0, 1}}}, .totals = {}, .sms = {0}};
      for (const auto& array : chase::encode(result)) sink.array(sink.context, i, &array.crossing());
    }
    return TOMOGRAPH_OK;
  };
  chase::Program second = program;
  second.trial = 9;
  const auto results = Session(*host.abi()).execute(std::vector{program, second});
  CHECK(results.at(0).traces.at(0).latency == std::vector<std::uint32_t>{0, 0});
  CHECK(results.at(1).traces.at(0).latency == std::vector<std::uint32_t>{9, 9});
}

TEST_CASE("a refused chase and a lost device end the probe, each in its own way") {
  MemoryHost host;
  const Session session(*host.abi());
  host.device = [](const std::vector<Experiment>&, const tomograph_result_sink& sink) -> tomograph_status {
    sink.refuse(sink.context, 0, TOMOGRAPH_UNSUPPORTED, "no such path");
    return TOMOGRAPH_OK;
  };
  try {
    (void)session.execute(std::vector{program});
    FAIL("the refusal went unnoticed");
  } catch (const tomograph::Refused& refused) {
    CHECK(refused.status == TOMOGRAPH_UNSUPPORTED);
    CHECK(std::string(refused.what()) == "no such path");
  }
  host.device = [](const std::vector<Experiment>&, const tomograph_result_sink&) -> tomograph_status {
    return TOMOGRAPH_DEVICE_LOST;
  };
  CHECK_THROWS_AS(session.execute(std::vector{program}), tomograph::DeviceLost);
  host.device = [](const std::vector<Experiment>&, const tomograph_result_sink& sink) -> tomograph_status {
    sink.refuse(sink.context, 0, TOMOGRAPH_FAILED, "the driver is gone");
    return TOMOGRAPH_FAILED;
  };
  CHECK_THROWS_WITH(session.execute(std::vector{program}), "the device could not execute a batch: the driver is gone");
}

TEST_CASE("asking skips what the device does not support, and reports every other refusal") {
  MemoryHost host;
  const Session session(*host.abi());
  const auto refuse = [&](tomograph_status status) {
    host.device = [status](const std::vector<Experiment>&, const tomograph_result_sink& sink) -> tomograph_status {
      sink.refuse(sink.context, 0, status, "no such path");
      return TOMOGRAPH_OK;
    };
  };
  refuse(TOMOGRAPH_UNSUPPORTED);
  try {
    (void)session.ask(program);
    FAIL("the refusal went unnoticed");
  } catch (const tomograph::Skip& skip) {
    CHECK(skip.category == "device");
    CHECK(std::string(skip.what()) == "no such path");
  }
  CHECK_THROWS_AS(session.ask(std::vector{program}), tomograph::Skip);
  CHECK_THROWS_AS(session.ask(chase::encode(program)), tomograph::Skip);
  CHECK_FALSE(session.ask_each(std::span(&program, 1)).at(0));
  refuse(TOMOGRAPH_FAILED);
  CHECK_THROWS_AS(session.ask(program), tomograph::Refused);
  CHECK_THROWS_AS(session.ask(chase::encode(program)), tomograph::Refused);
  CHECK_THROWS_AS(session.ask_each(std::span(&program, 1)), tomograph::Refused);
}
