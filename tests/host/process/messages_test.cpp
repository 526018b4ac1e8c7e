#include "process/messages.hpp"

#include <cmath>

#include "catch.hpp"

using namespace tomograph::host;

namespace {

/// What arrives of a message that goes through CBOR, as between host and worker.
WorkerMessage sent(const WorkerMessage& message) {
  return worker_message_from_json(Json::from_cbor(Json::to_cbor(to_json(message))));
}
Request sent(const Request& request) { return request_from_json(Json::from_cbor(Json::to_cbor(to_json(request)))); }

FactRecord fact() {
  FactRecord record;
  record.value = 4;
  record.unit = "B";
  record.interval = {3.5, 4.5};
  record.conditions = {{"carveout", "max"}};
  return record;
}

}  // namespace

TEST_CASE("curves with arrays of all types survive the journey bit for bit") {
  const Curve curve{{"i", std::vector<std::int64_t>{-1, 1LL << 62}},
                    {"u", std::vector<std::uint32_t>{0, 0xffffffffu}},
                    {"f", std::vector<double>{0.1, -1e300}},
                    {"empty", std::vector<double>{}}};
  CallResult result;
  result.published.curves = {{"curve", curve}};
  CHECK(std::get<CallResult>(sent(result)).published.curves.at("curve") == curve);
}

TEST_CASE("the result of a call arrives with its facts, reasons, targets and check") {
  const CallResult result{.status = TOMOGRAPH_SKIPPED,
                          .error = "no",
                          .skip_category = "resource",
                          .published = {{{"a.size", fact()}}, {{"a.ways", "noise"}}, {{"a.sets", "none"}}, {}},
                          .experiments = 7,
                          .executing_seconds = 0.5,
                          .plugin_seconds = 0.25,
                          .device_lost = true,
                          .targets = {{"0", "a GPU"}},
                          .check = {CheckStatus::timed_out, "slow"}};
  const auto arrived = std::get<CallResult>(sent(result));
  CHECK(to_json(WorkerMessage(arrived)) == to_json(WorkerMessage(result)));
  CHECK(arrived.published.facts.at("a.size").interval == fact().interval);
  CHECK(arrived.check.status == CheckStatus::timed_out);
}

TEST_CASE("every request arrives as it was sent") {
  const std::vector<Request> requests{
      DescribeRequest{"/p.so"},
      CheckRequest{"/p.so", "quiet"},
      EnumerateRequest{"/p.so", "sim", {{"seed", 1}}},
      OpenRequest{"/p.so", "sim", "h200", Json::object(), {{"a/1", "/q.so"}}, true},
      RunRequest{"/p.so", "a/size", Json::object(), {{{"a.line", fact()}}, {{"a.sets", "it has no sets"}}}},
      ExportRequest{"/p.so", "csv", {{"n", 1}}, {{"t.toml", "{}", "[]", ""}}}};
  for (const Request& request : requests) {
    CHECK(sent(request).index() == request.index());
    CHECK(to_json(sent(request)) == to_json(request));
  }
}

TEST_CASE("a message of no known kind, or with a value that its type does not have, is refused") {
  CHECK_THROWS(request_from_json({{"kind", 99}, {"plugin", "/p.so"}}));
  CHECK_THROWS(request_from_json({{"plugin", "/p.so"}}));
  CHECK_THROWS(worker_message_from_json({{"kind", 99}}));
  Json line = to_json(WorkerMessage(LogLine{.plugin = "p", .text = "t"}));
  line["level"] = 99;
  CHECK_THROWS(worker_message_from_json(line));
}

TEST_CASE("a sample of conditions arrives as it was sent, unknown numbers too") {
  ConditionSample sample;
  sample.time = 3.5;
  sample.reading.sm_clock = 1.98e9;
  sample.reading.sm_clock_step = 15e6;
  const auto arrived = std::get<ConditionSample>(sent(sample));
  CHECK(arrived.time == 3.5);
  CHECK(arrived.reading.sm_clock == 1.98e9);
  CHECK(arrived.reading.sm_clock_step == 15e6);
  CHECK(std::isnan(arrived.reading.power));
  CHECK(arrived.reading.throttle_reasons == TOMOGRAPH_THROTTLE_UNKNOWN);
  CHECK(std::holds_alternative<ReadingBegins>(sent(ReadingBegins{})));
}
