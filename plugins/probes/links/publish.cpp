#include "publish.hpp"

#include <cmath>

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/median_fact.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::links {

namespace {

/// A median with a wider relative interval than this is not published: two runs would differ by more than is useful.
constexpr double useful_ci = 0.03;

analysis::MedianInterval interval_of(const std::vector<double>& values) {
  return analysis::median_interval(values, confidence::links::interval);
}

/// Probability that a median lies outside of its interval.
double chance_of(const std::vector<double>& values) { return 1 - interval_of(values).coverage; }

std::string obstacle(const Measured& measured) {
  return measured.reason.empty() ? scatter(measured.values) : measured.reason;
}

Value gpus_of(const Entry& entry) { return {entry.gpus}; }

}  // namespace

std::string scatter(const std::vector<double>& values) {
  const auto interval = interval_of(values);
  const double relative = (interval.high - interval.low) / 2 / analysis::median(values);
  if (relative <= useful_ci) return {};
  return "repetitions scatter so much that they determine it only to " + std::to_string(std::lround(100 * relative)) +
         " %";
}

void publish_median(const Session& session, const std::string& key, const Measured& measured, const Source& source) {
  if (const auto reason = obstacle(measured); !reason.empty()) return session.inconclusive(key, reason);
  Fact fact = analysis::median_fact(key, measured.values, source.evidence, confidence::links::interval);
  fact.method = source.method;
  fact.confidence = 1 - chance_of(measured.values) - confidence::links::systematic_error;
  fact.conditions = source.conditions;
  session.publish(fact);
}

void publish_entries(const Session& session, const std::string& key, const std::vector<Entry>& entries,
                     const Source& source) {
  Value rows = Value::list();
  Value intervals = Value::list();
  Value open = Value::list();
  double doubt = confidence::links::systematic_error;
  std::uint64_t samples = 0;
  std::string last_reason;
  for (const Entry& entry : entries) {
    const auto& values = entry.measured.values;
    if (const auto reason = obstacle(entry.measured); !reason.empty()) {
      last_reason = reason;
      Value left_out = gpus_of(entry);
      left_out.push_back(reason);
      open.push_back(std::move(left_out));
      continue;
    }
    Value row = gpus_of(entry);
    row.push_back(analysis::median(values));
    rows.push_back(std::move(row));
    const auto interval = interval_of(values);
    intervals.push_back(Value::list(interval.low, interval.high));
    doubt += chance_of(values);
    samples += values.size();
  }
  if (rows.elements().empty()) return session.inconclusive(key, last_reason);
  Value conditions = source.conditions;
  conditions["intervals"] = std::move(intervals);
  if (!open.elements().empty()) conditions["open"] = std::move(open);
  session.publish({.key = key,
                   .value = std::move(rows),
                   .method = source.method,
                   .confidence = confidence::not_negative(1 - doubt),
                   .samples = samples,
                   .conditions = std::move(conditions),
                   .evidence = source.evidence});
}

}  // namespace tomograph::links
