#include <algorithm>
#include <cmath>

#include "level.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::throughput {

namespace {

/// Whole sweeps, each of which is fitted by itself.
constexpr std::int64_t sweeps = 8;
constexpr double saturated = 0.95;
/// The roof must have been seen: points beyond the one that is asked for, by this factor.
constexpr double beyond = 1.2;
constexpr double nanoseconds = 1e9;

struct Sweep {
  std::vector<double> bytes;
  std::vector<std::vector<double>> bandwidth;  ///< by sweep
};

Sweep measure(const Execute& execute, const streaming::Program& base, const Room& bounds) {
  const auto programs = rising_bytes_in_flight(base, bounds);
  std::vector<streaming::Program> batch;
  for (std::int64_t trial = 0; trial < sweeps; ++trial) {
    for (streaming::Program program : programs) {
      program.trial = trial;
      batch.push_back(std::move(program));
    }
  }
  const auto results = execute(batch);
  Sweep sweep{.bytes = {}, .bandwidth = std::vector<std::vector<double>>(static_cast<std::size_t>(sweeps))};
  for (std::size_t i = 0; i < programs.size(); ++i) {
    // Where not all CTAs fit, the point is one of those before.
    if (results[i].ctas_per_sm != programs[i].ctas_per_sm) continue;
    sweep.bytes.push_back(
        static_cast<double>(streaming::bytes_in_flight(programs[i], programs[i].ctas_per_sm, bounds.sms)));
    for (std::size_t k = 0; k < sweep.bandwidth.size(); ++k) {
      sweep.bandwidth[k].push_back(of_device(results[k * programs.size() + i]));
    }
  }
  return sweep;
}

double median_of(const std::vector<LoadCurve>& curves, double (*value)(const LoadCurve&)) {
  std::vector<double> values;
  for (const LoadCurve& curve : curves) values.push_back(value(curve));
  return analysis::median(values);
}

double saturating(const LoadCurve& curve) { return curve.bytes(saturated); }

/// What the sweeps leave open, and what the curve's shape does: a residual of the bandwidth is one of the bytes, and a
/// bend may be sharper than it looks.
analysis::MedianInterval interval_of(const std::vector<LoadCurve>& curves) {
  std::vector<double> values;
  double error = 0;
  for (const LoadCurve& curve : curves) {
    values.push_back(saturating(curve));
    error = std::max(error, curve.error_of_bytes(saturated, curve.residual));
  }
  error += std::log(LoadCurve{.latency = 1, .roof = 1, .sharpness = sharpest_seen}.bytes(saturated) / saturated);
  const auto seen = analysis::median_interval(values, confidence::throughput::interval);
  return {seen.low * std::exp(-error), seen.high * std::exp(error), seen.coverage};
}

std::vector<double> mean_of(const std::vector<std::vector<double>>& rows) {
  std::vector<double> means(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) means[i] += row[i] / static_cast<double>(rows.size());
  }
  return means;
}

}  // namespace

void find_saturation(const Session& session, const char* key, const streaming::Program& base) {
  const Sweep sweep = measure(executor(session), base, room(session));
  if (sweep.bytes.size() < 4) return session.inconclusive(key, "an SM has room for too few warps to sweep them");
  std::vector<LoadCurve> curves;
  for (const auto& bandwidth : sweep.bandwidth) curves.push_back(fit_load_curve(sweep.bytes, bandwidth));
  const double bytes = median_of(curves, saturating);
  session.evidence(key,
                   std::vector{column("bytes_in_flight", sweep.bytes), column("bandwidth", mean_of(sweep.bandwidth))});
  if (beyond * bytes > sweep.bytes.back() || bytes < sweep.bytes.front()) {
    return session.inconclusive(key, "the bandwidth does not pass 95 % of its maximum in the range swept");
  }
  const double latency = median_of(curves, [](const LoadCurve& curve) { return curve.latency; });
  const double roof = median_of(curves, [](const LoadCurve& curve) { return curve.roof; });
  const auto interval = interval_of(curves);
  session.publish({.key = key,
                   .value = std::round(bytes),
                   .method = "load-curve",
                   .confidence = interval.coverage - systematic_error,
                   .interval = Interval{interval.low, interval.high},
                   .samples = static_cast<std::uint64_t>(sweeps),
                   .conditions = {{"latency_alone_ns", std::round(latency * nanoseconds)},
                                  {"latency_saturated_ns", std::round(bytes / (saturated * roof) * nanoseconds)},
                                  {"roof", std::round(roof)}},
                   .evidence = key});
}

}  // namespace tomograph::throughput
