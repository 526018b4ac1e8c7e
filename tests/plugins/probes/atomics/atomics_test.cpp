#include <algorithm>

#include "analysis_trials.hpp"
#include "catch.hpp"
#include "experiments.hpp"
#include "memory_host.hpp"
#include "settings.hpp"
#include "tomograph/abi/plugin.h"

extern "C" const tomograph_plugin tomograph_plugin_entry;

using namespace tomograph;
using namespace tomograph::atomics;

namespace {

/// Times of runs of four CTAs whose laps take so many cycles.
TimesAnswer times(std::int64_t laps, std::int64_t cycles_of_lap) {
  TimesAnswer answer;
  for (const std::int64_t start : {100, 90, 110, 105}) {
    answer.few.push_back(start + laps * cycles_of_lap);
    answer.many.push_back(start + longer * laps * cycles_of_lap);
  }
  return answer;
}

Point point(std::int64_t warps, std::vector<double> rates) {
  return {{.warps = warps}, static_cast<std::size_t>(trials), std::move(rates)};
}

/// A GPU of four SMs. An atomic takes 500 cycles; an SM executes 8 per cycle, but one per cycle on the same word, and
/// the GPU one per cycle on each word.
TimesAnswer answer_of(const Experiment& experiment) {
  if (experiment.id == latency_id) {
    const auto request = decode_latency(experiment);
    return times(request.laps, 500 * chain_of_lap);
  }
  const auto request = decode_throughput(experiment);
  const std::int64_t operations_of_lap = request.warps * warp_lanes * atomics_of_lap;
  if (request.place == Place::one_line) {
    return times(request.laps, 4 * operations_of_lap * request.lanes_per_word / warp_lanes);
  }
  const std::int64_t rate = std::max<std::int64_t>(8 / request.lanes_per_word, 1);
  TimesAnswer answer = times(request.laps, operations_of_lap / rate);
  if (!request.alone) return answer;
  return {{answer.few.front()}, {answer.many.front()}};
}

using Device = std::function<TimesAnswer(const Experiment&)>;

/// Runs a probe of the plugin on a device.
tomograph_status run(MemoryHost& host, const std::string& id, const Device& device) {
  host.device = [&](const std::vector<Experiment>& batch, const tomograph_result_sink& sink) -> tomograph_status {
    for (std::uint64_t i = 0; i < batch.size(); ++i) {
      for (const ArrayView& array : encode(device(batch[i]))) sink.array(sink.context, i, &array.crossing());
    }
    return TOMOGRAPH_OK;
  };
  const std::span probes(tomograph_plugin_entry.probes, tomograph_plugin_entry.probe_count);
  const auto found = std::ranges::find_if(probes, [&](const tomograph_probe* one) { return one->id == id; });
  REQUIRE(found != probes.end());
  return (*found)->run(host.abi());
}

/// What is declared and nobody published or left open.
std::vector<std::string> forgotten(const MemoryHost& host, const std::string& id) {
  std::vector<std::string> keys;
  const std::span probes(tomograph_plugin_entry.probes, tomograph_plugin_entry.probe_count);
  for (const tomograph_probe* probe : probes) {
    for (std::uint32_t i = 0; probe->id == id && i < probe->provides_count; ++i) {
      const std::string key = probe->provides[i]->key;
      if (!host.published.contains(key) && !host.inconclusive.contains(key)) keys.push_back(key);
    }
  }
  return keys;
}

}  // namespace

TEST_CASE("a dependent atomic takes what the longer run takes longer, by SM") {
  const LatencyRequest request{.laps = 2};
  const auto cycles = chain_cycles(request, times(2, 700 * chain_of_lap));
  REQUIRE(cycles.has_value());
  CHECK(*cycles == std::vector<double>(4, 700));
}

TEST_CASE("a run that did not start together, or whose longer run took no longer, has no result") {
  TimesAnswer late = times(1, 1000);
  late.few[2] = late.many[2] = -1;
  CHECK_FALSE(chain_cycles({.laps = 1}, late).has_value());
  CHECK_FALSE(rate_of({.laps = 1}, late).has_value());
  TimesAnswer disturbed = times(1, 1000);
  disturbed.few[1] = 5000;
  CHECK_FALSE(rate_of({.laps = 1}, disturbed).has_value());
}

TEST_CASE("one SM counts by its own clock, all SMs until the last has ended") {
  const std::int64_t cycles = 8 * warp_lanes * atomics_of_lap;
  TimesAnswer answer = times(4, cycles);
  CHECK(*rate_of({.space = Space::shared, .warps = 8, .laps = 4}, answer) == Approx(1));
  CHECK(*rate_of({.warps = 8, .laps = 4}, answer) == Approx(4));
  // One SM takes twice as long: the GPU executes half as much per cycle, the median SM as much as before.
  answer.many[3] += (longer - 1) * 4 * cycles;
  CHECK(*rate_of({.space = Space::shared, .warps = 8, .laps = 4}, answer) == Approx(1));
  CHECK(*rate_of({.warps = 8, .laps = 4}, answer) == Approx(2).epsilon(0.001));  // others started up to 20 cycles later
  CHECK(*rate_of({.warps = 8, .alone = true, .laps = 4}, {{100}, {100 + 8 * cycles}}) == Approx(1));
}

TEST_CASE("fewer than half of the trials do not count if they are disturbed, whatever they say") {
  for (const double disturbed : {3.0, 40.0}) {
    const auto estimate = estimate_of(std::vector{10.0, disturbed, 10.1}, 3);
    REQUIRE(estimate.has_value());
    CHECK(estimate->value == Approx(10.05));
    CHECK(estimate->trials == 2);
    CHECK(estimate->interval.low < 10);
    CHECK(estimate->interval.low > 9);
    CHECK(estimate->interval.high > 10.1);
    CHECK(estimate->interval.high < 11);
  }
  CHECK(estimate_of(std::vector{10.0, 10.1}, 3).has_value());
  const auto of_five = estimate_of(std::vector{3.0, 10.0, 40.0, 10.2, 10.1}, 5);
  REQUIRE(of_five.has_value());
  CHECK(of_five->value == Approx(10.1));
  CHECK(of_five->trials == 3);
}

TEST_CASE("trials that agree all count, and the interval covers them") {
  const auto estimate = estimate_of(std::vector{10.4, 10.0, 10.1}, 3);
  REQUIRE(estimate.has_value());
  CHECK(estimate->value == Approx(10.1));
  CHECK(estimate->trials == 3);
  CHECK(estimate->interval.low < 10);
  CHECK(estimate->interval.high > 10.4);
}

TEST_CASE("trials that scatter on both sides count by the mean of their middle half") {
  const auto estimate = estimate_of(std::vector{10.3, 9.8, 10.0, 9.6, 10.4, 10.1, 9.7}, 7);
  REQUIRE(estimate.has_value());
  CHECK(estimate->value == Approx((9.8 + 10.0 + 10.1) / 3));
  CHECK(estimate->trials == 7);
}

TEST_CASE("settings whose launches differ more get more trials") {
  const ThroughputRequest one_word{.returns = true, .lanes_per_word = warp_lanes, .alone = true};
  ThroughputRequest own_words = one_word;
  own_words.lanes_per_word = 1;
  CHECK(trials_of(one_word) > trials);
  CHECK(trials_of(own_words) > trials);
  CHECK(trials_of({.space = Space::shared}) == trials);
  CHECK(trials_of({.place = Place::one_line, .lanes_per_word = warp_lanes}) == trials);
}

TEST_CASE("trials that differ say nothing, nor does a single one") {
  CHECK_FALSE(estimate_of(std::vector{10.0, 12.0, 14.0}, 3).has_value());
  CHECK_FALSE(estimate_of(std::vector{10.0, 12.0}, 3).has_value());
  CHECK_FALSE(estimate_of(std::vector{10.0}, 3).has_value());
  CHECK_FALSE(estimate_of({}, 3).has_value());
}

TEST_CASE("a trial in which all SMs were slow moves neither the latency nor that of single SMs") {
  const std::vector<std::vector<double>> by_trial{{600, 610, 650}, {602, 612, 652}, {1200, 1220, 1300}};
  const auto latency = latency_of(by_trial, 3);
  REQUIRE(latency.has_value());
  CHECK(latency->median.value == Approx(611));
  CHECK(latency->by_sm == std::vector<double>{602, 612, 652});
}

TEST_CASE("the highest rate counts, and whether half of the warps reach nearly as much is told") {
  const std::vector points{point(8, {5, 5, 5}), point(16, {9.5, 9.5, 9.5}), point(32, {10, 10, 10})};
  const auto best = fastest(points);
  REQUIRE(best.has_value());
  CHECK(best->warps == 32);
  CHECK(best->rate.value == Approx(10));
  CHECK_FALSE(best->rises);
  const auto rising = fastest(std::vector{point(16, {5, 5, 5}), point(32, {10, 10, 10})});
  REQUIRE(rising.has_value());
  CHECK(rising->rises);
  CHECK_FALSE(fastest(std::vector{point(16, {10, 10, 10}), point(32, {10, 12, 14})}).has_value());
  CHECK_FALSE(fastest({}).has_value());
}

TEST_CASE("a rate that half of the launches exceed by chance is not the highest") {
  const auto best = fastest(std::vector{point(16, {6.0, 8.0, 6.1, 7.9, 7.8}), point(32, {6.4, 6.4, 6.4, 6.5, 6.3})});
  REQUIRE(best.has_value());
  CHECK(best->warps == 32);
  CHECK_FALSE(best->rises);
  // Hardly slower, and steady.
  const auto steady = fastest(std::vector{point(16, {6.5, 6.6, 6.7, 6.4, 6.8}), point(32, {6.4, 6.4, 6.4, 6.4, 6.4})});
  REQUIRE(steady.has_value());
  CHECK(steady->rate.value == Approx(6.4));
}

TEST_CASE("all settings are possible, and each kind of fact has its points") {
  for (std::size_t operation = 0; operation < operations.size(); ++operation) {
    for (const Space space : {Space::global, Space::shared}) {
      const auto settings = settings_of(space, operation);
      for (const ThroughputRequest& one : settings) CHECK_NOTHROW(decode_throughput(encode(one)));
      const bool reduces = std::ranges::any_of(settings, [](const auto& one) { return !one.returns; });
      CHECK(reduces == operations[operation].has_reduction);
    }
  }
  std::vector<std::int64_t> hot;
  for (const ThroughputRequest& one : settings_of(Space::global, 1)) {
    if (one.place == Place::one_line && one.returns) hot.push_back(8 * warp_lanes / one.lanes_per_word);
  }
  CHECK(hot == std::vector<std::int64_t>{8, 32, 128});
}

TEST_CASE("experiments become values again, and impossible ones are refused") {
  const ThroughputRequest request{.space = Space::global,
                                  .operation = 9,
                                  .returns = false,
                                  .place = Place::one_line,
                                  .lanes_per_word = 8,
                                  .warps = 3,
                                  .laps = 5,
                                  .trial = 2};
  const ThroughputRequest again = decode_throughput(encode(request));
  CHECK((again.operation == 9 && !again.returns && again.place == Place::one_line && again.lanes_per_word == 8));
  CHECK((again.warps == 3 && !again.alone && again.laps == 5 && again.trial == 2));
  CHECK(decode_latency(encode(LatencyRequest{.space = Space::shared})).space == Space::shared);
  const auto refused = [](const ThroughputRequest& one) {
    CHECK_THROWS_AS(decode_throughput(encode(one)), std::invalid_argument);
  };
  refused({.operation = operations.size()});
  refused({.operation = 6, .returns = false});
  refused({.lanes_per_word = 3});
  refused({.warps = most_warps + 1});
  refused({.space = Space::shared, .place = Place::one_line});
  refused({.space = Space::shared, .alone = true});
  refused({.place = Place::own_lines});
  refused({.laps = 0});
}

TEST_CASE("answers without times, or of unequal lengths, are refused") {
  const auto result = [](const TimesAnswer& answer) { return decode_result(LatencyRequest{}, Answer{encode(answer)}); };
  CHECK(result({{1, 2}, {3, 4}}).many == std::vector<std::int64_t>{3, 4});
  CHECK_THROWS_AS(result({}), std::invalid_argument);
  CHECK_THROWS_AS(result({{1, 2}, {3}}), std::invalid_argument);
}

TEST_CASE("a GPU's atomics are found, in global and in shared memory") {
  MemoryHost host;
  REQUIRE(run(host, "atomics/global.add_u32", answer_of) == TOMOGRAPH_OK);
  CHECK(forgotten(host, "atomics/global.add_u32").empty());
  CHECK(host.inconclusive.empty());
  const auto number = [&](const std::string& key) { return host.published.at("atomics.global.add_u32." + key).value; };
  CHECK(number("latency").get<double>() == Approx(500));
  CHECK(number("throughput").get<double>() == Approx(8));
  CHECK(number("scattered.throughput").get<double>() == Approx(8));
  CHECK(number("total.throughput").get<double>() == Approx(32));
  CHECK(number("throughput_by_conflict").dump() == "[[1,8.0],[2,4.0],[4,2.0],[8,1.0],[16,1.0],[32,1.0]]");
  CHECK(number("hot.throughput_by_bytes").dump() == "[[4,1.0],[32,8.0],[128,32.0]]");
  CHECK(number("reduction.total.throughput").get<double>() == Approx(32));

  MemoryHost shared;
  REQUIRE(run(shared, "atomics/shared.cas_u64", answer_of) == TOMOGRAPH_OK);
  CHECK(forgotten(shared, "atomics/shared.cas_u64").empty());
  CHECK(shared.published.at("atomics.shared.cas_u64.throughput").value.get<double>() == Approx(8));
  CHECK_FALSE(shared.published.contains("atomics.shared.cas_u64.reduction.throughput"));
}

TEST_CASE("the throughput without conflicts is that of threads with words of their own, even if others are faster") {
  MemoryHost host;
  REQUIRE(run(host, "atomics/global.max_u32", [](const Experiment& experiment) {
            const bool shares = experiment.id != latency_id && decode_throughput(experiment).lanes_per_word > 1;
            TimesAnswer answer = answer_of(experiment);
            for (std::int64_t& one : answer.few) one = shares ? 1000 : one;
            for (std::int64_t& one : answer.many) one = shares ? 1100 : one;
            return answer;
          }) == TOMOGRAPH_OK);
  CHECK(host.published.at("atomics.global.max_u32.throughput").value.get<double>() == Approx(8));
}

TEST_CASE("one disturbed trial changes no fact, different trials leave them open") {
  const auto slower = [](const std::vector<std::int64_t>& by_trial) {
    return [by_trial](const Experiment& experiment) {
      const bool is_chain = experiment.id == latency_id;
      const std::int64_t trial = is_chain ? decode_latency(experiment).trial : decode_throughput(experiment).trial;
      TimesAnswer answer = answer_of(experiment);
      for (auto* times : {&answer.few, &answer.many}) {
        for (std::int64_t& one : *times) one *= by_trial.at(static_cast<std::size_t>(trial));
      }
      return answer;
    };
  };
  const std::string id = "atomics/global.add_f32";
  MemoryHost host;
  REQUIRE(run(host, id, slower({1, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1})) == TOMOGRAPH_OK);
  CHECK(host.inconclusive.empty());
  CHECK(host.published.at("atomics.global.add_f32.total.throughput").value.get<double>() == Approx(32));
  CHECK(host.published.at("atomics.global.add_f32.latency").value.get<double>() == Approx(500));

  MemoryHost open;
  REQUIRE(run(open, id, slower({1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536})) ==
          TOMOGRAPH_OK);
  CHECK(open.published.empty());
  CHECK(forgotten(open, id).empty());
}

TEST_CASE("SMs that never start together leave open what they measure together, and nothing else") {
  MemoryHost host;
  const std::string id = "atomics/global.exch_u32";
  REQUIRE(run(host, id, [](const Experiment& experiment) {
            TimesAnswer answer = answer_of(experiment);
            if (experiment.id != latency_id && !decode_throughput(experiment).alone) answer.few[0] = -1;
            return answer;
          }) == TOMOGRAPH_OK);
  CHECK(host.inconclusive.size() == 2);
  CHECK(host.inconclusive.contains("atomics.global.exch_u32.total.throughput"));
  CHECK(host.published.contains("atomics.global.exch_u32.throughput"));
}

TEST_CASE("a GPU that lacks an operation is not asked") {
  MemoryHost host;
  host.facts["device.compute_capability"] = R"({"value": "5.2", "unit": ""})";
  REQUIRE(run(host, "atomics/shared.add_f64", answer_of) == TOMOGRAPH_SKIPPED);
  CHECK(host.skip_category == "device");
  CHECK(host.evidence.empty());
}
