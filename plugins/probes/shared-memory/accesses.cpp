#include "accesses.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::shared_memory {

namespace {

using shared_access::Result;

/// The extremes of so many samples enclose the median of all but for 3 in 100,000.
constexpr std::size_t least_samples = 16;
/// Trials: three times as many as long as they leave something open.
constexpr std::int64_t most_trials = 81;
constexpr std::int64_t more_trials = 3;
/// A latency or rate that is more open than this is none: two runs would differ by more than they are asked to.
constexpr double useful_openness = 0.02;

Pace pace_of(std::span<const double> cycles) {
  const auto [low, high] = std::ranges::minmax(cycles);
  const double middle = analysis::median(cycles);
  const auto interval = analysis::median_interval(cycles, confidence::shared_memory::interval);
  return {middle, low, high, cycles.size(), (interval.high - interval.low) / 2 / middle};
}

bool is_known(std::span<const double> cycles) {
  return cycles.size() >= least_samples && pace_of(cycles).openness <= useful_openness / 2;
}

/// `programs` and the same ones of twice as many accesses, in trials from `first` on.
std::vector<Program> both_lengths(std::span<const Program> programs, std::int64_t first, std::int64_t count) {
  std::vector<Program> both;
  for (std::int64_t trial = first; trial < first + count; ++trial) {
    for (const std::int64_t length : {1, 2}) {
      for (Program program : programs) {
        program.accesses *= length;
        program.trial = trial;
        both.push_back(std::move(program));
      }
    }
  }
  return both;
}

/// Cycles per access of each SM, from results in the order of `both_lengths`. Nothing for programs that are refused.
std::vector<std::vector<double>> differences(std::span<const Program> programs,
                                             const std::vector<std::optional<Result>>& results) {
  std::vector<std::vector<double>> cycles(programs.size());
  for (std::size_t k = 0; k < results.size(); k += 2 * programs.size()) {
    for (std::size_t i = 0; i < programs.size(); ++i) {
      const auto& once = results[k + i];
      const auto& twice = results[k + programs.size() + i];
      if (!once || !twice) continue;
      for (std::size_t sm = 0; sm < std::min(once->cycles.size(), twice->cycles.size()); ++sm) {
        cycles[i].push_back((twice->cycles[sm] - once->cycles[sm]) / static_cast<double>(programs[i].accesses));
      }
    }
  }
  return cycles;
}

}  // namespace

std::vector<std::optional<Pace>> pace(const Session& session, std::span<const Program> programs) {
  std::vector<std::optional<Pace>> paces;
  const auto results = session.ask_each(programs);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i]) {
      paces.emplace_back();
      continue;
    }
    std::vector<double> cycles = results[i]->cycles;
    for (double& one : cycles) one = (one - results[i]->overhead) / static_cast<double>(programs[i].accesses);
    paces.emplace_back(pace_of(cycles));
  }
  return paces;
}

std::vector<std::optional<Pace>> steady_pace(const Session& session, std::span<const Program> programs) {
  std::vector<std::vector<double>> cycles(programs.size());
  std::vector<std::size_t> open(programs.size());
  std::iota(open.begin(), open.end(), std::size_t{0});
  for (std::int64_t done = 0, trials = 1; !open.empty() && trials <= most_trials;
       done = trials, trials *= more_trials) {
    std::vector<Program> repeated;
    for (const std::size_t i : open) repeated.push_back(programs[i]);
    const auto seen = differences(repeated, session.ask_each<Program>(both_lengths(repeated, done, trials - done)));
    for (std::size_t k = 0; k < open.size(); ++k) {
      cycles[open[k]].insert(cycles[open[k]].end(), seen[k].begin(), seen[k].end());
    }
    std::erase_if(open, [&](std::size_t i) { return cycles[i].empty() || is_known(cycles[i]); });
  }
  std::vector<std::optional<Pace>> paces;
  for (const auto& one : cycles) paces.push_back(one.empty() ? std::nullopt : std::optional(pace_of(one)));
  return paces;
}

std::vector<Pace> certain_pace(const Session& session, std::span<const Program> programs) {
  std::vector<Pace> paces;
  for (const auto& one : steady_pace(session, programs)) {
    if (!one) throw Refused(TOMOGRAPH_UNSUPPORTED, "the device refuses a small experiment on shared memory");
    paces.push_back(*one);
  }
  return paces;
}

void publish_paces(const Session& session, Fact fact, std::span<const Pace> paces) {
  fact.confidence = 1 - confidence::shared_memory::systematic_error;
  fact.samples = std::ranges::min(paces, {}, &Pace::samples).samples;
  for (const Pace& one : paces) {
    if (one.openness > useful_openness) {
      return session.inconclusive(fact.key, "repetitions scatter so much that " + std::to_string(one.samples) +
                                                " of them leave a latency open by " +
                                                std::to_string(std::lround(100 * one.openness)) + " %");
    }
    // That the median is beyond all samples, on either side.
    fact.confidence -= std::exp2(1 - static_cast<double>(one.samples));
  }
  session.publish(fact);
}

void expect_shared_memory(const Session& session) {
  static_cast<void>(session.ask(Program{.accesses = 1, .bytes = 64}));
}

}  // namespace tomograph::shared_memory
