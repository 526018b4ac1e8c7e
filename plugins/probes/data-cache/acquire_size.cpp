#include <cmath>
#include <optional>
#include <vector>

#include "acquire_saturation.hpp"
#include "analysis_size.hpp"
#include "questions.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/column.hpp"

namespace tomograph::data_cache {

namespace {

constexpr const char* all_fit = "no footprint was too large for the cache";

/// What was seen beside each carve-out.
struct Curve {
  std::vector<std::int64_t> carveouts;
  std::vector<Saturation> seen;
};

/// What is published of a carve-out.
struct CarveoutRow {
  std::int64_t carveout = 0;
  Capacity usable;
};

/// Adds up the loads that programs ask for.
cache::Executor counting(cache::Executor execute, std::int64_t& loads) {
  return [execute = std::move(execute), &loads](std::span<const chase::Program> programs) {
    for (const chase::Program& program : programs) {
      for (const chase::Phase& phase : program.phases) loads += phase.loads;
    }
    return execute(programs);
  };
}

cache::Subject beside(const Session& session, std::int64_t carveout) {
  auto subject = cache::known_subject(session, l1);
  subject.carveout = carveout;
  return subject;
}

/// What stays of more lines than fit, rather than the largest footprint that fits: beside a large carve-out some lines
/// are lost long before the cache is full.
std::optional<Saturation> seen_beside(const Session& session, std::int64_t carveout, std::int64_t line,
                                      std::int64_t start, std::int64_t tests, std::int64_t& loads) {
  const auto execute = counting(cache::executor(session), loads);
  const std::int64_t limit = cache::search_range(session, l1).limit;
  return saturation(execute, beside(session, carveout), line, start, limit, tests);
}

void publish(const Session& session, const std::vector<CarveoutRow>& curve) {
  Value pairs = Value::list();
  Value intervals = Value::list();
  for (const CarveoutRow& row : curve) {
    pairs.push_back(Value::list(row.carveout, row.usable.bytes));
    intervals.push_back(Value::list(std::llround(row.usable.interval.low), std::llround(row.usable.interval.high)));
  }
  session.evidence(
      "l1_data.size_by_carveout",
      std::vector{column("carveout_B", curve, &CarveoutRow::carveout),
                  column("usable_B", curve, [](const CarveoutRow& row) { return row.usable.bytes; }),
                  column("low_B", curve, [](const CarveoutRow& row) { return row.usable.interval.low; }),
                  column("high_B", curve, [](const CarveoutRow& row) { return row.usable.interval.high; })});
  session.publish(
      {.key = "l1_data.size_by_carveout",
       .value = pairs,
       .method = "retained-lines",
       .confidence = confidence::data_cache::size_by_carveout,
       .samples = curve.size(),
       .conditions = {{"pairs", "carve-out asked for, bytes that stay of more than fit"}, {"intervals", intervals}},
       .evidence = "l1_data.size_by_carveout"});
}

/// The device rounds a carve-out up to one that the SM has, so the steps of the curve show those.
Curve measure_curve(const Session& session, std::int64_t size, std::int64_t line, std::int64_t largest_carveout) {
  constexpr std::int64_t steps = 16;  // more than the carve-outs of any known GPU, at most nine
  std::int64_t tests = tests_for_capacity(size, line);
  std::int64_t start = size;
  Curve curve;
  for (std::int64_t step = 0; step <= steps; ++step) {
    const std::int64_t carveout = largest_carveout * step / steps;
    std::int64_t loads = 0;
    const auto seen = seen_beside(session, carveout, line, start, tests, loads);
    if (!seen) continue;
    curve.carveouts.push_back(carveout);
    curve.seen.push_back(*seen);
    // The search for the next row begins at twice the last size found, which does not fit.
    start = 2 * whole_lines(seen->full.mean, line);
    if (curve.seen.size() == 1) tests = affordable_tests(tests, loads, steps);
  }
  if (!fill_by_chance(curve.seen)) return curve;
  const auto execute = cache::executor(session);
  for (std::size_t i = 0; i < curve.seen.size(); ++i) {
    Saturation& seen = curve.seen[i];
    seen.full = far_beyond(execute, beside(session, curve.carveouts[i]), line, seen, tests);
  }
  return curve;
}

void publish_by_carveout(const Session& session, std::int64_t size, std::int64_t stride) {
  const auto most = session.fact<std::int64_t>("device.shared_memory_per_sm");
  if (!most) return session.inconclusive("l1_data.size_by_carveout", "the size of shared memory is not known");
  const Curve curve = measure_curve(session, size, stride, *most);
  if (curve.seen.empty()) return session.inconclusive("l1_data.size_by_carveout", all_fit);
  const std::vector<Capacity> capacities = usable_capacities(curve.seen, stride);
  std::vector<CarveoutRow> rows;
  for (std::size_t i = 0; i < capacities.size(); ++i) rows.push_back({curve.carveouts[i], capacities[i]});
  publish(session, rows);
}

}  // namespace

void find_l1_size(const Session& session) {
  auto size = cache::measured_size(session, l1);
  if (!size) {
    for (const char* fact : {"size", "size_by_carveout"}) session.inconclusive(cache::key(l1, fact), all_fit);
    return;
  }
  Fact& fact = size->fact;
  fact.conditions["carveout"] = "max-l1";
  session.publish(fact);
  publish_by_carveout(session, fact.value.get<std::int64_t>(), size->stride);
}

void find_l2_size(const Session& session) {
  const auto count = session.needed<std::int64_t>("l2.partition.count");
  const auto seen = cache::measured_size(session, l2);
  if (!seen) {
    for (const char* fact : {"size", "partition.size"}) session.inconclusive(cache::key(l2, fact), all_fit);
    return;
  }
  const bool replicated = l2_is_replicated(session);
  const double doubt_about_count = 1 - session.fact_record("l2.partition.count")->at("confidence").get<double>();
  const auto scaled = [&](Fact fact, double factor) {
    fact.value = static_cast<std::int64_t>(std::llround(fact.value.get<double>() * factor));
    fact.confidence = confidence::not_negative(fact.confidence - doubt_about_count);
    if (fact.interval) fact.interval = Interval{fact.interval->low * factor, fact.interval->high * factor};
    fact.source = TOMOGRAPH_DERIVED;
    return fact;
  };
  Fact size = replicated ? scaled(seen->fact, static_cast<double>(count)) : seen->fact;
  Fact partition = replicated ? seen->fact : scaled(seen->fact, 1 / static_cast<double>(count));
  partition.key = "l2.partition.size";
  session.publish(size);
  session.publish(partition);
}

}  // namespace tomograph::data_cache
