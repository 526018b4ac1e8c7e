#include <algorithm>
#include <cmath>

#include "level.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::throughput {

namespace {

/// Around the knee the curve is so flat that one per cent of bandwidth is ten of bytes in flight: looks there are more
/// and longer.
constexpr std::int64_t looks = 9;
constexpr std::int64_t lengthening = 4;
constexpr double around = 2;
/// Two-sided normal quantile of 99 %, standard deviation of a normal over its median absolute deviation, and standard
/// error of a median over that of a mean.
constexpr double error_of_median = 2.58 * 1.4826 * 1.2533;

struct Curve {
  std::vector<streaming::Program> programs;
  std::vector<double> bytes;
  std::vector<double> bandwidth;
  double error = 0;  ///< relative, of a point around the knee
};

Curve whole(const Execute& execute, const streaming::Program& base, const Room& bounds) {
  const auto programs = rising_bytes_in_flight(base, bounds);
  const auto results = execute(programs);
  Curve curve;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    // Where not all CTAs fit, the point is one of those before.
    if (results[i].ctas_per_sm != programs[i].ctas_per_sm) continue;
    curve.programs.push_back(programs[i]);
    curve.bytes.push_back(
        static_cast<double>(streaming::bytes_in_flight(programs[i], programs[i].ctas_per_sm, bounds.sms)));
    curve.bandwidth.push_back(of_device(results[i]));
  }
  return curve;
}

void look_closer(const Execute& execute, Curve& curve, double knee) {
  std::vector<std::size_t> near;
  for (std::size_t i = 0; i < curve.bytes.size(); ++i) {
    if (curve.bytes[i] > knee / around && curve.bytes[i] < knee * around) near.push_back(i);
  }
  std::vector<streaming::Program> batch;
  for (std::int64_t look = 1; look <= looks; ++look) {
    for (const std::size_t i : near) {
      batch.push_back(curve.programs[i]);
      batch.back().passes *= lengthening;
      batch.back().trial = look;
    }
  }
  const auto results = execute(batch);
  for (std::size_t k = 0; k < near.size(); ++k) {
    std::vector<double> seen;
    for (std::size_t i = k; i < results.size(); i += near.size()) seen.push_back(of_device(results[i]));
    const double median = analysis::median(seen);
    curve.bandwidth[near[k]] = median;
    const double error = error_of_median * analysis::median_absolute_deviation(seen) /
                         std::sqrt(static_cast<double>(seen.size())) / median;
    curve.error = std::max(curve.error, error);
  }
}

/// Half of the interval of a figure, relative to it: order statistics of its repetitions, of which the median has
/// about a third.
double relative_error(const Fact& figure) {
  const double width = figure.interval->high - figure.interval->low;
  return width / 6 / figure.value.get<double>();
}

}  // namespace

void find_saturation(const Session& session, const char* key, const streaming::Program& base, const Fact& maximum) {
  constexpr const char* open = "the bandwidth does not pass 95 % of its maximum in the range swept";
  const Execute execute = executor(session);
  const auto most = maximum.value.get<double>();
  Curve curve = whole(execute, base, room(session));
  auto found = saturation(curve.bytes, curve.bandwidth, most);
  if (found) {
    look_closer(execute, curve, found->bytes);
    found = saturation(curve.bytes, curve.bandwidth, most, curve.error + relative_error(maximum));
  }
  session.evidence(key, std::vector{column("bytes_in_flight", curve.bytes), column("bandwidth", curve.bandwidth)});
  if (!found) return session.inconclusive(key, open);
  session.publish({.key = key,
                   .value = std::round(found->bytes),
                   .method = "five-percent-rule",
                   .confidence = 0.95,
                   .interval = Interval{found->between.low, found->between.high},
                   .samples = static_cast<std::uint64_t>(looks),
                   .conditions = {{"latency_alone_ns", std::round(found->latency_alone * 1e9)},
                                  {"latency_saturated_ns", std::round(found->latency_saturated * 1e9)}},
                   .evidence = key});
}

}  // namespace tomograph::throughput
