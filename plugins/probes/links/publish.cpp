#include "publish.hpp"

#include <cmath>

#include "tomograph/analysis/confidence.hpp"

namespace tomograph::links {

namespace {

/// What has a wider relative interval than this is not published. Generations of links double the rate; what is known
/// to a quarter still tells them apart.
constexpr double useful_ci = 0.25;

/// Why this cannot be published, or nothing.
std::string obstacle(const Measured& measured) {
  if (!measured.reason.empty()) return measured.reason;
  const auto found = measured.undisturbed();
  const double relative = (found.high - found.low) / 2 / found.value;
  if (relative <= useful_ci) return {};
  return "repetitions scatter so much that they determine it only to " + std::to_string(std::lround(100 * relative)) +
         " %";
}

Value gpus_of(const Entry& entry) { return {entry.gpus}; }

}  // namespace

void publish_undisturbed(const Session& session, const std::string& key, const Measured& measured,
                         const Source& source) {
  if (const auto reason = obstacle(measured); !reason.empty()) return session.inconclusive(key, reason);
  const auto found = analysis::widened(measured.undisturbed(), source.from_run_to_run);
  session.publish({.key = key,
                   .value = found.value,
                   .method = source.method,
                   .confidence = confidence::not_negative(found.coverage - confidence::links::systematic_error),
                   .interval = Interval{found.low, found.high},
                   .samples = measured.values.size(),
                   .conditions = source.conditions,
                   .evidence = source.evidence});
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
    if (const auto reason = obstacle(entry.measured); !reason.empty()) {
      last_reason = reason;
      Value left_out = gpus_of(entry);
      left_out.push_back(reason);
      open.push_back(std::move(left_out));
      continue;
    }
    Value row = gpus_of(entry);
    const auto found = entry.measured.undisturbed();
    row.push_back(found.value);
    rows.push_back(std::move(row));
    intervals.push_back(Value::list(found.low, found.high));
    doubt += 1 - found.coverage;
    samples += entry.measured.values.size();
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
