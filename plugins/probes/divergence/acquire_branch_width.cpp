#include <algorithm>
#include <array>

#include "analysis_coherence.hpp"
#include "questions.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/occupancy_roofline.hpp"
#include "tomograph/analysis/proportion.hpp"
#include "tomograph/divergence.hpp"

namespace tomograph::divergence {

namespace {

/// Powers of two, and numbers in between, for which the branches of a warp have unequal widths.
constexpr std::array<std::int64_t, 14> widths{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128};
/// The largest CTA.
constexpr std::int64_t warps_of_a_cta = 32;
/// Several thousand instructions in all branches. Chosen on an H200.
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
  const auto found = coherence(powers_of_two(curve), analysis::ridge_tolerance);
  if (!found) return session.inconclusive(key, "performance still rises with the widest branches");
  session.publish({.key = key,
                   .value = found->threads,
                   .method = "five-percent-rule",
                   .confidence = analysis::confidence_from_agreement(found->agreeing, found->total, 1),
                   .samples = found->total,
                   .evidence = evidence_name});
}

}  // namespace

void find_branch_width(const Session& session) {
  const auto repetitions = session.parameter<std::int64_t>("repetitions");
  const auto most = session.fact<std::int64_t>("device.max_warps_per_sm").value_or(warps_of_a_cta);
  const std::int64_t warps = std::min(most, warps_of_a_cta);
  const auto curve = measure(session, warps, repetitions);
  publish_curve(session, curve, warps);
  publish_coherence(session, curve);
}

}  // namespace tomograph::divergence
