#include "branch_width.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/occupancy_roofline.hpp"
#include "tomograph/analysis/proportion.hpp"
#include "tomograph/experiment/divergence.hpp"

namespace tomograph::divergence {

namespace {

/// Powers of two, and what lies between: where branches of one warp are of unequal width.
constexpr std::array<std::int64_t, 14> widths{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128};
constexpr std::int64_t warps_of_a_cta = 32;
constexpr std::int64_t passes = 32;
constexpr const char* evidence_name = "divergence";

std::vector<WidthPoint> measure(const Session& session, std::int64_t warps, std::int64_t repetitions) {
  std::vector<Program> programs;
  for (const std::int64_t width : widths) {
    for (const auto body : {instruction::Body::short_body, instruction::Body::long_body}) {
      programs.push_back({.width = width, .warps = warps, .body = body, .passes = passes, .repetitions = repetitions});
    }
  }
  const std::vector<SmRuns> results = session.ask(programs);
  std::vector<WidthPoint> curve;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const SmRuns& brief = results[2 * i];
    const SmRuns& lengthy = results[2 * i + 1];
    WidthPoint point{widths[i], {}};
    for (std::size_t j = 0; j < brief.runs.size(); ++j) {
      point.cpi.push_back(analysis::cycles_per_instruction({brief.runs[j], lengthy.runs[j]},
                                                           lengthy.instructions - brief.instructions, warps));
    }
    curve.push_back(std::move(point));
  }
  return curve;
}

void publish_curve(const Session& session, std::span<const WidthPoint> curve, std::int64_t warps) {
  std::vector<std::int64_t> width;
  std::vector<double> mean;
  std::vector<double> low;
  std::vector<double> high;
  Value pairs = Value::list();
  Value intervals = Value::list();
  double confidence = confidence::from_error(0);
  for (const WidthPoint& point : curve) {
    const analysis::Repeated cpi = analysis::repeated(point.cpi);
    width.push_back(point.width);
    mean.push_back(cpi.mean);
    low.push_back(cpi.interval().low);
    high.push_back(cpi.interval().high);
    pairs.push_back(Value::list(point.width, cpi.mean));
    intervals.push_back(Value::list(cpi.interval().low, cpi.interval().high));
    confidence -= cpi.error();
  }
  session.evidence(
      evidence_name,
      std::vector<NamedArray>{{"width", width}, {"cycles_per_instruction", mean}, {"low_95", low}, {"high_95", high}});
  session.publish({.key = "divergence.cycles_by_branch_width",
                   .value = std::move(pairs),
                   .method = "four-branches",
                   .confidence = confidence::not_negative(confidence),
                   .samples = curve.front().cpi.size(),
                   .conditions = {{"branches", branches}, {"warps", warps}, {"intervals", std::move(intervals)}},
                   .evidence = evidence_name});
}

void publish_coherence(const Session& session, std::span<const WidthPoint> curve) {
  constexpr const char* key = "divergence.coherent_threads";
  std::vector<WidthPoint> powers;
  std::ranges::copy_if(curve, std::back_inserter(powers), [](const WidthPoint& point) {
    return std::has_single_bit(static_cast<std::uint64_t>(point.width));
  });
  const auto found = coherence(powers, analysis::ridge_tolerance);
  if (!found) return session.inconclusive(key, "performance still rises with the widest branches");
  session.publish({.key = key,
                   .value = found->threads,
                   .method = "five-percent-rule",
                   .confidence = analysis::confidence_from_agreement(found->agreeing, found->total, 1),
                   .samples = found->total,
                   .evidence = evidence_name});
}

/// Position of the first point from which on all are within `tolerance` of the fastest.
std::size_t first_level(std::span<const double> cpi, double tolerance) {
  const double best = std::ranges::min(cpi);
  std::size_t first = cpi.size();
  while (first > 0 && best > (1 - tolerance) * cpi[first - 1]) --first;
  return first;
}

}  // namespace

std::optional<Coherence> coherence(std::span<const WidthPoint> curve, double tolerance) {
  const auto level_of = [&](const std::function<double(const WidthPoint&)>& number) {
    std::vector<double> cpi;
    for (const WidthPoint& point : curve) cpi.push_back(number(point));
    return first_level(cpi, tolerance);
  };
  const std::size_t first = level_of([](const WidthPoint& point) { return analysis::repeated(point.cpi).mean; });
  if (first + 1 >= curve.size()) return std::nullopt;
  Coherence found{curve[first].width, 0, curve.front().cpi.size()};
  for (std::size_t i = 0; i < found.total; ++i) {
    if (level_of([i](const WidthPoint& point) { return point.cpi.at(i); }) == first) ++found.agreeing;
  }
  return found;
}

void find_branch_width(const Session& session) {
  const auto repetitions = session.parameter<std::int64_t>("repetitions");
  const auto most = session.fact<std::int64_t>("device.max_warps_per_sm").value_or(warps_of_a_cta);
  const std::int64_t warps = std::min(most, warps_of_a_cta);
  const auto curve = measure(session, warps, repetitions);
  publish_curve(session, curve, warps);
  publish_coherence(session, curve);
}

}  // namespace tomograph::divergence
