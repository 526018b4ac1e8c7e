#include "publish.hpp"

#include <string>
#include <vector>

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/column.hpp"

namespace tomograph::l2_persistence {

namespace {

constexpr const char* controls = "l2.persistence.controls";

Value conditions_of(const Conditions& conditions) {
  return {{"set_aside", conditions.set_aside},
          {"streamed", conditions.streamed},
          {"hit_threshold", conditions.threshold.cycles},
          {"false_hit", conditions.threshold.false_hit},
          {"false_miss", conditions.threshold.false_miss}};
}

Fact fact_of(const std::string& key, Value value, std::span<const Kept> curve, const Conditions& conditions) {
  std::uint64_t samples = 0;
  for (const Kept& one : curve) samples += one.samples;
  return {.key = key,
          .value = std::move(value),
          .method = "sampled-lines",
          .confidence = confidence::not_negative(confidence::l2_persistence::interval -
                                                 confidence::l2_persistence::systematic_error),
          .samples = samples,
          .conditions = conditions_of(conditions)};
}

Value pairs_of(std::span<const Kept> curve) {
  Value pairs = Value::list();
  for (const Kept& one : curve) pairs.push_back(Value::list(one.bytes, one.share));
  return pairs;
}

Value intervals_of(std::span<const Kept> curve) {
  Value intervals = Value::list();
  for (const Kept& one : curve) intervals.push_back(Value::list(one.interval.low, one.interval.high));
  return intervals;
}

void keep_curve(const Session& session, const std::string& key, std::span<const Kept> with,
                std::span<const Kept> without) {
  std::vector<Kept> rows(with.begin(), with.end());
  rows.insert(rows.end(), without.begin(), without.end());
  std::vector<std::int64_t> is_set_aside(with.size(), 1);
  is_set_aside.resize(rows.size(), 0);
  session.evidence(key, std::vector{NamedArray{"set_aside", is_set_aside}, column("bytes", rows, &Kept::bytes),
                                    column("kept", rows, &Kept::share)});
}

/// Publishes the curve, and how many bytes are kept of regions that are too large.
void publish_curve(const Session& session, const std::string& size_key, const std::string& curve_key,
                   const Conditions& conditions, std::span<const Kept> with, std::span<const Kept> without) {
  keep_curve(session, curve_key, with, without);
  Fact curve = fact_of(curve_key, pairs_of(with), with, conditions);
  curve.conditions["intervals"] = intervals_of(with);
  curve.conditions["without_set_aside"] = pairs_of(without);
  curve.evidence = curve_key;
  session.publish(curve);
  const auto room = room_of(with);
  if (!room) return session.inconclusive(size_key, "L2 keeps half of the largest region");
  Fact size = fact_of(size_key, room->bytes, with, conditions);
  size.interval = Interval{room->interval.low, room->interval.high};
  size.evidence = curve_key;
  session.publish(size);
}

}  // namespace

void keep_controls(const Session& session, std::span<const double> hits, std::span<const double> misses) {
  session.evidence(controls,
                   std::vector<NamedArray>{{"hit_cycles", std::vector<double>(hits.begin(), hits.end())},
                                           {"miss_cycles", std::vector<double>(misses.begin(), misses.end())}});
}

void publish_persisting(const Session& session, const Conditions& conditions, std::span<const Kept> with,
                        std::span<const Kept> without) {
  publish_curve(session, "l2.persistence.size", "l2.persistence.kept_by_size", conditions, with, without);
}

void publish_beside(const Session& session, const Conditions& conditions, std::span<const Kept> with,
                    std::span<const Kept> without) {
  publish_curve(session, "l2.persistence.size_left", "l2.persistence.others_kept_by_size", conditions, with, without);
}

}  // namespace tomograph::l2_persistence
