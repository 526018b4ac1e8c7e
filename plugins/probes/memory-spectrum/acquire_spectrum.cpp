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

/// Whether the standard error of every mean is small.
bool is_precise(const Samples& samples) {
  constexpr double enough = 0.005;  // five runs then differ by more than 2 % in 4 % of the cases (normal)
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    if (samples.at(i).cycles.empty()) continue;
    const auto found = latency_of(samples, i).loads;
    if (found.error > enough * found.mean) return false;
  }
  return true;
}

}  // namespace

void find_spectrum(const Session& session) {
  const Known known = known_from(session);
  Samples samples;
  std::int64_t span = 0;
  for (std::int64_t trial = 0; trial < most_programs && (span < long_enough || !is_precise(samples)); ++trial) {
    const Chase chase = build(known, trial, most_programs);
    span += timed_span(chase);
    add(samples, chase, session.execute({&chase.program, 1}).front());
  }
  tlb::give_memory_back(session);
  remove_hits(samples);
  publish(session, samples);
}

}  // namespace tomograph::memory_spectrum
