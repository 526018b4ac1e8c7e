#include "acquire_access_times.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tomograph/analysis/confidence.hpp"

namespace tomograph::shared_memory {

namespace {

using shared_access::Result;

/// Trials: three times as many until all times are precise. The median of the most has a seventh of the deviation of
/// one (normal).
constexpr std::int64_t most_trials = 81;
constexpr std::int64_t more_trials = 3;
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

std::vector<std::optional<AccessTime>> access_times(const Session& session, std::span<const Program> programs) {
  std::vector<std::optional<AccessTime>> times;
  const auto results = session.ask_each(programs);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i]) {
      times.emplace_back();
      continue;
    }
    std::vector<double> cycles = results[i]->cycles;
    for (double& one : cycles) one = (one - results[i]->overhead) / static_cast<double>(programs[i].accesses);
    times.emplace_back(access_time(cycles));
  }
  return times;
}

std::vector<std::optional<AccessTime>> steady_access_times(const Session& session, std::span<const Program> programs) {
  std::vector<std::vector<double>> cycles(programs.size());
  std::vector<std::size_t> imprecise(programs.size());
  std::iota(imprecise.begin(), imprecise.end(), std::size_t{0});
  for (std::int64_t done = 0, trials = 1; !imprecise.empty() && trials <= most_trials;
       done = trials, trials *= more_trials) {
    std::vector<Program> repeated;
    for (const std::size_t i : imprecise) repeated.push_back(programs[i]);
    const auto seen = differences(repeated, session.ask_each<Program>(both_lengths(repeated, done, trials - done)));
    for (std::size_t k = 0; k < imprecise.size(); ++k) {
      cycles[imprecise[k]].insert(cycles[imprecise[k]].end(), seen[k].begin(), seen[k].end());
    }
    std::erase_if(imprecise, [&](std::size_t i) { return cycles[i].empty() || is_precise(cycles[i]); });
  }
  std::vector<std::optional<AccessTime>> times;
  for (const auto& one : cycles) times.push_back(one.empty() ? std::nullopt : std::optional(access_time(one)));
  return times;
}

std::vector<AccessTime> required_access_times(const Session& session, std::span<const Program> programs) {
  std::vector<AccessTime> times;
  for (const auto& one : steady_access_times(session, programs)) {
    if (!one) throw Refused(TOMOGRAPH_UNSUPPORTED, "the device refuses a small experiment on shared memory");
    times.push_back(*one);
  }
  return times;
}

void publish_times(const Session& session, Fact fact, std::span<const AccessTime> times) {
  fact.confidence = 1 - confidence::shared_memory::systematic_error;
  fact.samples = std::ranges::min(times, {}, &AccessTime::samples).samples;
  for (const AccessTime& one : times) {
    if (one.relative_ci > useful_ci) {
      return session.inconclusive(fact.key, "repetitions scatter so much that " + std::to_string(one.samples) +
                                                " of them determine a time only to " +
                                                std::to_string(std::lround(100 * one.relative_ci)) + " %");
    }
    fact.confidence -= median_error(one.samples);
  }
  session.publish(fact);
}

void expect_shared_memory(const Session& session) {
  static_cast<void>(session.ask(Program{.accesses = 1, .bytes = 64}));
}

}  // namespace tomograph::shared_memory
