#include "acquire_known.hpp"
#include "analysis_samples.hpp"
#include "publish.hpp"
#include "questions.hpp"
#include "tomograph/tlb/memory.hpp"

namespace tomograph::memory_spectrum {

namespace {

/// More programs take longer than is worthwhile. Chosen on an H200.
constexpr std::int64_t most_programs = 4;

/// Loads over which each pattern is timed, in all programs: some ten milliseconds, so that clocks that change are seen
/// at more than one frequency. Chosen on an H200.
constexpr std::int64_t long_enough = 32768;

/// Programs of first visits alone, which are short, and loads of first visits that need no more of them.
constexpr std::int64_t most_first_visits = 64;
constexpr std::size_t enough_first_visits = 512;

/// Whether the standard error of the mean is small, or there is none.
bool is_precise(const Samples& samples, std::size_t pattern) {
  constexpr double enough = 0.005;  // five runs then differ by more than 2 % in 4 % of the cases (normal)
  if (samples.at(pattern).cycles.empty()) return true;
  const auto found = latency_of(samples, pattern).loads;
  return found.error <= enough * found.mean;
}
bool all_precise(const Samples& samples) {
  for (std::size_t pattern = 0; pattern < patterns.size(); ++pattern) {
    if (!is_precise(samples, pattern)) return false;
  }
  return true;
}

/// Whether P5 was seen, but too rarely.
bool lacks_first_visits(const Samples& samples) {
  return samples.at(p5).cycles.size() < enough_first_visits && !is_precise(samples, p5);
}

}  // namespace

void find_spectrum(const Session& session) {
  const Known known = known_from(session);
  Samples samples;
  std::int64_t span = 0;
  for (std::int64_t trial = 0; trial < most_programs && (span < long_enough || !all_precise(samples)); ++trial) {
    const Chase chase = build(known, trial, most_programs);
    span += timed_span(chase);
    add(samples, chase, session.execute({&chase.program, 1}).front());
  }
  for (std::int64_t trial = most_programs; trial < most_first_visits && lacks_first_visits(samples); ++trial) {
    const auto visits = build_first_visits(known, trial, most_programs);
    if (!visits) break;
    add(samples, *visits, session.execute({&visits->program, 1}).front());
  }
  tlb::give_memory_back(session);
  remove_hits(samples);
  leave_out_open_rows(samples);
  publish(session, samples);
}

}  // namespace tomograph::memory_spectrum
