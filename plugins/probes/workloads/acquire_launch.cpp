#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "experiments.hpp"
#include "questions.hpp"
#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/median_fact.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::workloads {

namespace {

constexpr const char* rate_key = "device.cta_launch_rate";
constexpr const char* turnover_key = "device.cta_turnover";
constexpr const char* curve_key = "device.cta_queueing_curve";
constexpr const char* method = "waiting-ctas";
/// Of which the extremes enclose the median with probability 0.999.
constexpr std::int64_t launch_repetitions = 11;
/// Warps of a CTA. The last is the largest that CUDA allows.
constexpr std::array<std::int64_t, 4> sizes{1, 8, 16, 32};
/// Rounds of CTAs, of which the first, in which the GPU fills, does not count. CTAs that wait leave step with each
/// other after more rounds than such as end at once.
constexpr std::int64_t rounds_of_rates = 16;
constexpr std::int64_t rounds_of_curve = 32;
/// The longest are so long that the rate of starts does not delay any.
constexpr std::array<std::int64_t, 8> waits{16384, 8192, 4096, 2048, 1024, 512, 256, 128};
constexpr std::int64_t curve_warps = 8;  // of a CTA, of those in `sizes`
/// Medians of eight runs each of an H100 and an H200 were up to 1.008 times as large as others.
constexpr double from_run_to_run = 1.01;

/// Of a fact whose intervals miss their medians with a probability of `missed` in all.
double confidence_of(double missed) {
  return confidence::not_negative(1 - missed - confidence::launches::systematic_error);
}

analysis::MedianInterval interval_of(const std::vector<double>& values) {
  return analysis::median_interval(values, confidence::throughput::interval);
}

void publish_rates(const Session& session, const std::vector<LaunchAnswer>& answers) {
  Value pairs = Value::list();
  Value intervals = Value::list();
  std::vector<NamedArray> evidence;
  double missed = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto interval = interval_of(answers[i].rate);
    pairs.push_back(Value::list(sizes[i], analysis::median(answers[i].rate)));
    intervals.push_back(Value::list(interval.low / from_run_to_run, interval.high * from_run_to_run));
    missed += 1 - interval.coverage;
    evidence.push_back({"warps_" + std::to_string(sizes[i]), answers[i].rate});
  }
  session.evidence(rate_key, evidence);
  session.publish({.key = rate_key,
                   .value = std::move(pairs),
                   .method = method,
                   .confidence = confidence_of(missed),
                   .samples = sizes.size() * static_cast<std::size_t>(launch_repetitions),
                   .conditions = {{"pairs", "warps of a CTA, starts per cycle"}, {"intervals", std::move(intervals)}},
                   .evidence = rate_key});
}

void publish_turnover(const Session& session, const LaunchAnswer& answer) {
  session.evidence(turnover_key, std::vector<NamedArray>{{"turnover", answer.turnover}});
  Fact fact = analysis::median_fact(turnover_key, answer.turnover, turnover_key, confidence::throughput::interval);
  analysis::widen(fact, from_run_to_run);
  fact.method = method;
  fact.confidence = confidence_of(1 - interval_of(answer.turnover).coverage);
  fact.conditions = {{"warps", curve_warps}, {"ctas_per_sm", answer.ctas_per_sm}, {"cycles_of_a_cta", waits.front()}};
  session.publish(fact);
}

void publish_curve(const Session& session, std::span<const LaunchAnswer> answers) {
  Value pairs = Value::list();
  std::vector<double> rates;
  std::vector<double> turnovers;
  double missed = 0;
  for (const LaunchAnswer& answer : answers) {
    pairs.push_back(Value::list(analysis::median(answer.rate), analysis::median(answer.turnover)));
    missed += 1 - interval_of(answer.turnover).coverage;
    rates.insert(rates.end(), answer.rate.begin(), answer.rate.end());
    turnovers.insert(turnovers.end(), answer.turnover.begin(), answer.turnover.end());
  }
  session.evidence(curve_key, std::vector<NamedArray>{{"rate", rates}, {"turnover", turnovers}});
  session.publish({.key = curve_key,
                   .value = std::move(pairs),
                   .method = method,
                   .confidence = confidence_of(missed),
                   .samples = rates.size(),
                   .conditions = {{"pairs", "starts per cycle, cycles from an end to the next start in its place"},
                                  {"warps", curve_warps}},
                   .evidence = curve_key});
}

}  // namespace

void find_launch(const Session& session) {
  std::vector<LaunchRequest> requests;
  for (const std::int64_t warps : sizes) {
    requests.push_back({.warps = warps, .rounds = rounds_of_rates, .repetitions = launch_repetitions});
  }
  for (const std::int64_t wait : waits) {
    requests.push_back(
        {.warps = curve_warps, .wait_cycles = wait, .rounds = rounds_of_curve, .repetitions = launch_repetitions});
  }
  const auto answers = session.ask(requests);
  publish_rates(session, answers);
  publish_turnover(session, answers[sizes.size()]);
  publish_curve(session, std::span(answers).subspan(sizes.size()));
}

}  // namespace tomograph::workloads
