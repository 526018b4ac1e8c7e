#include "arrays.hpp"

#include <algorithm>

#include "tomograph/session.hpp"

namespace tomograph::constant_cache {

namespace {

constexpr int walks = 3;

/// A ring over each array that `bytes` fill.
chase::Program filled(const cache::Subject& subject, std::int64_t bytes, std::int64_t stride) {
  const std::int64_t array_bytes = subject.largest / stride * stride;
  chase::Program program;
  program.actors = {{.sm = subject.sm, .path = chase::Path::constant}};
  for (std::int64_t done = 0; done < bytes; done += array_bytes) {
    const auto number = static_cast<std::int64_t>(program.arrays.size());
    program.arrays.push_back({.bytes = array_bytes, .space = chase::Space::constant});
    program.rings.push_back({.array = number, .stride = stride, .count = std::min(bytes - done, array_bytes) / stride});
  }
  return program;
}

void add_pass(chase::Program& program, chase::Timing timing) {
  for (std::size_t ring = 0; ring < program.rings.size(); ++ring) {
    program.phases.push_back(
        {.ring = static_cast<std::int64_t>(ring), .loads = program.rings[ring].count, .timing = timing});
  }
}

}  // namespace

std::int64_t arrays_together(const cache::Executor& execute, const cache::Subject& subject) {
  constexpr std::int64_t most = 8;
  std::int64_t arrays = 1;
  try {
    for (; arrays < most; ++arrays) {
      chase::Program program = filled(subject, (arrays + 1) * subject.largest, subject.largest);
      add_pass(program, chase::Timing::untimed);
      (void)execute({&program, 1});
    }
  } catch (const Refused&) {
    return arrays;
  }
  return arrays;
}

cache::Retained retained_in_arrays(const cache::Executor& execute, const cache::Subject& subject, std::int64_t bytes,
                                   std::int64_t stride) {
  chase::Program program = filled(subject, bytes, stride);
  for (int walk = 0; walk < walks; ++walk) add_pass(program, chase::Timing::untimed);
  add_pass(program, chase::Timing::each);
  const chase::Result result = execute({&program, 1}).front();
  cache::Retained seen;
  for (const chase::Result::Trace& trace : result.traces) {
    for (const std::uint32_t cycles : trace.latency) seen.latencies.push_back(cycles - result.overhead_each);
  }
  seen.nodes = seen.sampled = static_cast<std::int64_t>(seen.latencies.size());
  seen.hits = std::ranges::count_if(seen.latencies, [&](double cycles) { return cycles <= subject.threshold.cycles; });
  return seen;
}

}  // namespace tomograph::constant_cache
