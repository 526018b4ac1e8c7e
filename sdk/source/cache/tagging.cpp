#include "tomograph/cache/tagging.hpp"

namespace tomograph::cache {

Aliased load_through_alias(const Executor& execute, const Subject& subject) {
  constexpr std::int64_t lines = 2;      // fit any cache, whatever bits index it
  constexpr std::int64_t spacing = 256;  // no known line is longer
  std::vector<chase::Program> programs;
  // Of 64 loads three may be misread: more are once in 250 times if one in 100 is.
  for (std::int64_t trial = 0; trial < 32; ++trial) {
    for (const std::int64_t tested : {1, 0}) {
      chase::Program program = program_for(subject, page_bytes);
      program.trial = trial;
      program.arrays.push_back({page_bytes, 0});
      const std::int64_t start = trial * lines * spacing;
      add_ring(program, {0, start, spacing, lines});
      // Same sectors through the other mapping; the slot behind the node keeps the two rings apart.
      add_ring(program, {tested, start + sample_offset, spacing, lines});
      // A hit by physical address waits for its translation, so that has to be there, too.
      add_ring(program, {tested, page_bytes - spacing, spacing, 1});
      program.phases = {{0, 2, 0, 1, chase::Timing::untimed},
                        {0, 0, 0, 4 * lines, chase::Timing::untimed},
                        {0, 1, 0, lines, chase::Timing::each}};
      programs.push_back(std::move(program));
    }
  }
  const auto results = execute(programs);
  Aliased seen;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const bool control = i % 2 == 1;
    for (const double latency : net(results[i])) {
      const std::size_t hit = latency <= subject.threshold.cycles ? 1 : 0;
      (control ? seen.control_loads : seen.loads) += 1;
      (control ? seen.control_hits : seen.hits) += hit;
      if (!control) seen.latencies.push_back(latency);
    }
  }
  return seen;
}

}  // namespace tomograph::cache
