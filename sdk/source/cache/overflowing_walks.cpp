#include "overflowing_walks.hpp"

#include <algorithm>

namespace tomograph::cache {

namespace {

/// Walks lines into the steady state, then times two more walks.
chase::Program program_of(const Subject& subject, std::int64_t line_bytes, std::span<const std::int64_t> lines,
                          std::int64_t trial) {
  const auto count = std::ssize(lines) * subject.touches;
  chase::Program program = program_for(subject, subject.indexed_region());
  program.trial = trial;
  add_ring(program, touching_ring(subject, lines, line_bytes));
  settle(program, subject, line_bytes, lines, trial);
  const std::int64_t walks = subject.disturbed ? 3 : 2;
  program.phases.push_back({0, 0, 0, std::min<std::int64_t>(walks * count, timed_loads), chase::Timing::each});
  return program;
}

/// Whether a timed walk missed, the first one, or the first half of a long one, aside where it is disturbed.
bool missed(const Subject& subject, const chase::Result& result, std::size_t loads) {
  const auto& latency = result.traces.front().latency;
  const auto first = subject.disturbed ? std::min(loads, latency.size() / 2) : 0;
  return std::ranges::any_of(std::span(latency).subspan(first),
                             [&](std::uint32_t one) { return !is_hit(subject, result, one); });
}

}  // namespace

chase::Ring ring_over(std::span<const std::int64_t> lines, std::int64_t line_bytes, std::int64_t offset) {
  chase::Ring ring{.array = 0};
  ring.nodes.reserve(lines.size());
  for (const std::int64_t line : lines) ring.nodes.push_back(line * line_bytes + offset);
  return ring;
}

chase::Ring touching_ring(const Subject& subject, std::span<const std::int64_t> lines, std::int64_t line_bytes,
                          std::int64_t offset) {
  chase::Ring ring{.array = 0};
  for (const std::int64_t line : lines) {
    for (std::int64_t touch = 0; touch < subject.touches; ++touch) {
      ring.nodes.push_back(line * line_bytes + offset + touch * chase::node_bytes);
    }
  }
  return ring;
}

void settle(chase::Program& program, const Subject& subject, std::int64_t line_bytes,
            std::span<const std::int64_t> lines, std::int64_t trial) {
  const auto count = std::ssize(lines);
  constexpr std::int64_t walks = 4;  // one suffices under LRU and FIFO; three more are a margin
  const std::int64_t loads = walks * count * subject.touches;
  program.phases.push_back({0, 0, 0, loads, chase::Timing::untimed});
  // With the walks in the first order, 64 walks over few lines: twice as many as any known cache has ways.
  constexpr std::int64_t few = 256;
  const std::int64_t times = 8 * few / std::max(few, count);
  if (!subject.shared || times == 0) return;
  std::vector<std::int64_t> shuffled;
  for (const std::int64_t place : random_choice(count, count, static_cast<std::uint64_t>(trial + 1))) {
    shuffled.push_back(lines[static_cast<std::size_t>(place)]);
  }
  const std::int64_t other_order = add_ring(program, touching_ring(subject, shuffled, line_bytes, 2 * sample_offset));
  for (std::int64_t time = 0; time < times; ++time) {
    program.phases.push_back({0, other_order, 0, loads, chase::Timing::untimed});
    program.phases.push_back({0, 0, 0, loads, chase::Timing::untimed});
  }
}

std::vector<bool> overflows(const Executor& execute, const Subject& subject, std::int64_t line_bytes,
                            std::span<const Walk> walks) {
  constexpr std::int64_t repetitions = 3;  // if one of 1,000 loads is misread, 17 fitting lines overflow once in 27,000
  std::vector<bool> answers(walks.size(), true);
  for (std::int64_t repetition = 0; repetition < repetitions; ++repetition) {
    std::vector<chase::Program> programs;
    std::vector<std::size_t> asked;
    for (std::size_t i = 0; i < walks.size(); ++i) {
      if (!answers[i] || (repetition > 0 && walks[i].expected)) continue;
      programs.push_back(program_of(subject, line_bytes, walks[i].lines, repetition));
      asked.push_back(i);
    }
    if (asked.empty()) break;
    const auto results = execute(programs);
    for (std::size_t k = 0; k < asked.size(); ++k) {
      answers[asked[k]] =
          missed(subject, results[k], walks[asked[k]].lines.size() * static_cast<std::size_t>(subject.touches));
    }
  }
  return answers;
}

}  // namespace tomograph::cache
