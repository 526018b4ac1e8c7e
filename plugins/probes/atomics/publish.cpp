#include "publish.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "settings.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/column.hpp"

namespace tomograph::atomics {

namespace {

constexpr const char* no_agreement = "trials differ by more than a tenth, or SMs could not start together";

/// Says so where an operation is no instruction.
Value conditions_of(const Subject& subject) {
  if (!is_loop(subject.space, operations[subject.operation])) return Value::table();
  return {{"instructions", "loop of compare-and-swap"}};
}

/// A row of the evidence: one trial of a setting.
struct Row {
  ThroughputRequest setting;
  double rate = 0;
};

void keep_curve(const Session& session, const std::string& name, std::span<const Point> points) {
  std::vector<Row> rows;
  for (const Point& point : points) {
    for (const double rate : point.rates) rows.push_back({point.setting, rate});
  }
  const auto setting = [&](const char* column_name, auto field) {
    return column(column_name, rows, [field](const Row& row) { return static_cast<std::int64_t>(row.setting.*field); });
  };
  session.evidence(
      name, std::vector{setting("returns", &ThroughputRequest::returns), setting("place", &ThroughputRequest::place),
                        setting("alone", &ThroughputRequest::alone),
                        setting("lanes_per_word", &ThroughputRequest::lanes_per_word),
                        setting("warps", &ThroughputRequest::warps), column("operations_per_cycle", rows, &Row::rate)});
}

/// Publishes the rates of atomics, or of reductions.
class Publisher {
 public:
  Publisher(const Session& session, const std::string& prefix, const Subject& subject, std::span<const Point> points,
            bool returns)
      : session_(session),
        prefix_(prefix + (returns ? "" : "reduction.")),
        evidence_(prefix + "throughput"),
        subject_(subject) {
    std::ranges::copy_if(points, std::back_inserter(points_),
                         [&](const Point& point) { return point.setting.returns == returns; });
  }

  /// The highest rate by occupancy, of points that use this place.
  void highest(const std::string& name, Place place, bool alone) const {
    auto points = at(place, alone);
    std::erase_if(points, [](const Point& point) { return point.setting.lanes_per_word != 1; });
    const auto best = fastest(points);
    if (!best) return session_.inconclusive(prefix_ + name, no_agreement);
    Fact fact = fact_of(name, best->rate.value, best->rate.trials);
    fact.interval = best->rate.interval;
    fact.conditions["warps"] = best->warps;
    fact.conditions["rises_with_warps"] = best->rises;
    session_.publish(fact);
  }

  /// Pairs of lanes on a word and the rate with the most warps.
  void by_conflict(const std::string& name, bool alone) const {
    auto points = at(Place::own, alone);
    std::erase_if(points, [](const Point& point) { return point.setting.warps != most_warps; });
    std::ranges::sort(points, {}, [](const Point& point) { return point.setting.lanes_per_word; });
    pairs(name, points, [](const Point& point) { return point.setting.lanes_per_word; });
  }

  /// Pairs of bytes that all SMs share and the rate.
  void hot(const std::string& name) const {
    const std::int64_t bytes = warp_lanes * operations[subject_.operation].bytes();
    pairs(name, at(Place::one_line, false), [&](const Point& point) { return bytes / point.setting.lanes_per_word; });
  }

 private:
  [[nodiscard]] std::vector<Point> at(Place place, bool alone) const {
    std::vector<Point> found;
    std::ranges::copy_if(points_, std::back_inserter(found), [&](const Point& point) {
      return point.setting.place == place && point.setting.alone == alone;
    });
    return found;
  }

  void pairs(const std::string& name, std::span<const Point> points, const auto& first) const {
    Value rows = Value::list();
    Value intervals = Value::list();
    for (const Point& point : points) {
      const auto rate = point.estimate();
      if (!rate) return session_.inconclusive(prefix_ + name, no_agreement);
      rows.push_back(Value::list(first(point), rate->value));
      intervals.push_back(Value::list(rate->interval.low, rate->interval.high));
    }
    Fact fact = fact_of(name, std::move(rows), points.front().trials);
    fact.conditions["intervals"] = std::move(intervals);
    fact.conditions["warps"] = points.front().setting.warps;
    session_.publish(fact);
  }

  [[nodiscard]] Fact fact_of(const std::string& name, Value value, std::size_t samples) const {
    return {.key = prefix_ + name,
            .value = std::move(value),
            .method = "two-lengths",
            .confidence = confidence::atomics::measured,
            .samples = samples,
            .conditions = conditions_of(subject_),
            .evidence = evidence_};
  }

  const Session& session_;
  std::string prefix_;
  std::string evidence_;
  Subject subject_;
  std::vector<Point> points_;
};

}  // namespace

void publish_latency(const Session& session, const std::string& prefix, const Subject& subject,
                     const std::vector<std::vector<double>>& by_trial) {
  const std::string key = prefix + "latency";
  std::vector<NamedArray> columns;
  for (std::size_t trial = 0; trial < by_trial.size(); ++trial) {
    columns.push_back({"cycles_" + std::to_string(trial), by_trial[trial]});
  }
  session.evidence(key, columns);
  const auto latency = latency_of(by_trial, trials);
  if (!latency) return session.inconclusive(key, no_agreement);
  Value conditions = conditions_of(subject);
  conditions["lanes"] = 1;
  conditions["result"] = "operand of the next";
  conditions["p01"] = analysis::quantile(latency->by_sm, 0.01);
  conditions["p99"] = analysis::quantile(latency->by_sm, 0.99);
  session.publish({.key = key,
                   .value = latency->median.value,
                   .method = "dependent-chain",
                   .confidence = confidence::atomics::measured,
                   .interval = latency->median.interval,
                   .samples = latency->by_sm.size() * latency->median.trials,
                   .conditions = std::move(conditions),
                   .evidence = key});
}

void publish_throughput(const Session& session, const std::string& prefix, const Subject& subject,
                        std::span<const Point> points) {
  keep_curve(session, prefix + "throughput", points);
  const bool alone = subject.space == Space::global;
  for (const bool returns : {true, false}) {
    if (!returns && !operations[subject.operation].has_reduction) continue;
    const Publisher publisher(session, prefix, subject, points, returns);
    publisher.highest("throughput", Place::own, alone);
    if (returns || alone) publisher.by_conflict("throughput_by_conflict", alone);
    if (!alone) continue;
    if (returns) publisher.highest("scattered.throughput", Place::own_lines, alone);
    publisher.highest("total.throughput", Place::own, false);
    publisher.hot("hot.throughput_by_bytes");
  }
}

}  // namespace tomograph::atomics
