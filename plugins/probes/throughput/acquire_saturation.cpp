#include "acquire_saturation.hpp"

#include <cmath>
#include <optional>
#include <utility>

#include "acquire_streaming.hpp"
#include "analysis_load_curve.hpp"
#include "publish.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::throughput {

namespace {

/// Sweeps, each fitted by itself. The extremes of 8 enclose the median with probability 0.99.
constexpr std::int64_t sweeps = 8;
/// The last point must lie beyond the saturating bytes by this factor, so that the roof was measured. Chosen on an
/// H200.
constexpr double beyond = 1.2;
constexpr double nanoseconds = 1e9;

/// A sweep begins at this share of the roof. Below, points tell the latency only, as those above do, and take longest.
constexpr double least_share = 1.0 / 8;

/// Bytes in flight grow by this factor from point to point.
constexpr double step = 1.1;

/// Like `base` with `warps` warps on an SM in as few CTAs as hold them; nothing if they cannot be equal.
std::optional<streaming::Program> with_warps(streaming::Program base, std::int64_t warps, std::int64_t ilp) {
  constexpr std::int64_t most = streaming::maximum_threads / streaming::warp_threads;
  base.ctas_per_sm = (warps + most - 1) / most;
  if (warps % base.ctas_per_sm != 0) return std::nullopt;
  base.threads = warps / base.ctas_per_sm * streaming::warp_threads;
  base.ilp = ilp;
  return base;
}

struct Sweep {
  std::vector<double> bytes;
  std::vector<std::vector<double>> bandwidth;  ///< by sweep
};

/// Leaves out the programs, ascending by bytes in flight, that would not reach `least_share` of the roof if the
/// bandwidth rose in proportion, as it does where latency alone limits it.
void leave_out_slow(const Execute& execute, std::vector<streaming::Program>& programs, const Bounds& bounds) {
  if (programs.size() < 2) return;
  std::vector ends{programs.front(), programs.back()};
  for (streaming::Program& end : ends) end.trial = sweeps;
  const auto results = execute(ends);
  const auto in_flight = [&](const streaming::Program& one, std::int64_t ctas) {
    return static_cast<double>(streaming::bytes_in_flight(one, ctas, bounds.sms));
  };
  const double times = of_device(results.back()) / of_device(results.front());
  const double least = least_share * times * in_flight(programs.front(), results.front().ctas_per_sm);
  std::erase_if(programs, [&](const streaming::Program& one) { return in_flight(one, one.ctas_per_sm) < least; });
}

Sweep measure(const Execute& execute, const streaming::Program& base, const Bounds& bounds) {
  auto programs = rising_bytes_in_flight(base, bounds);
  leave_out_slow(execute, programs, bounds);
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
    // Where not all CTAs fit, the run repeats an earlier point.
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

std::vector<double> mean_of(const std::vector<std::vector<double>>& rows) {
  std::vector<double> means(rows.front().size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) means[i] += row[i] / static_cast<double>(rows.size());
  }
  return means;
}

}  // namespace

std::vector<streaming::Program> rising_bytes_in_flight(const streaming::Program& base, const Bounds& bounds) {
  std::vector<streaming::Program> programs;
  const std::int64_t most_warps = bounds.threads_per_sm / streaming::warp_threads;
  double next = 1;
  for (std::int64_t ilp = 1; ilp <= most_ilp; ilp *= 2) {
    for (std::int64_t warps = 1; warps <= most_warps; ++warps) {
      if (static_cast<double>(warps * ilp) < next) continue;
      const auto program = with_warps(base, warps, ilp);
      if (!program) continue;
      const auto footprint = streaming::rounded_footprint(*program, program->ctas_per_sm, bounds.sms);
      if (footprint > base.bytes) return programs;
      programs.push_back(*program);
      next = static_cast<double>(warps * ilp) * step;
    }
  }
  return programs;
}

void find_saturation(const Session& session, const char* key, const streaming::Program& base) {
  const Sweep sweep = measure(executor(session), base, bounds_of(session));
  if (sweep.bytes.size() < 4) return session.inconclusive(key, "an SM has room for too few warps for a sweep");
  std::vector<LoadCurve> curves;
  for (const auto& bandwidth : sweep.bandwidth) curves.push_back(fit_load_curve(sweep.bytes, bandwidth));
  const double bytes = median_of(curves, [](const LoadCurve& curve) { return curve.bytes(saturated); });
  session.evidence(key,
                   std::vector{column("bytes_in_flight", sweep.bytes), column("bandwidth", mean_of(sweep.bandwidth))});
  if (beyond * bytes > sweep.bytes.back() || bytes < sweep.bytes.front()) {
    return session.inconclusive(key, "the bandwidth does not pass 95 % of its maximum in the measured range");
  }
  const double latency = median_of(curves, [](const LoadCurve& curve) { return curve.latency; });
  const double roof = median_of(curves, [](const LoadCurve& curve) { return curve.roof; });
  const auto interval = saturating_interval(curves);
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
