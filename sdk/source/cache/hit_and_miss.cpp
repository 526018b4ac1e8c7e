#include "tomograph/cache/hit_and_miss.hpp"

#include <algorithm>

namespace tomograph::cache {

namespace {

constexpr std::int64_t total_loads = 2048;
constexpr std::int64_t spacing = 128;  // nodes of a small footprint; any line size will do

/// Walks a small ring twice, then times it in total and each load of it.
chase::Program hit_program(const Subject& subject, std::int64_t sm, std::int64_t trial) {
  Subject here = subject;
  here.sm = sm;
  chase::Program program = program_for(here, page_bytes);
  program.alone = false;
  program.trial = trial;
  const std::int64_t start = trial * small_footprint * 5;  // another part of the page in each trial, of up to 100
  // Two nodes fit any L1, whatever bits index it.
  const std::int64_t nodes = subject.shared ? small_footprint / spacing : 2;
  add_ring(program, {0, start, spacing, nodes});
  program.phases = {{0, 0, 0, 2 * nodes, chase::Timing::untimed},
                    {0, 0, 0, total_loads, chase::Timing::total},
                    {0, 0, 0, small_footprint / spacing, chase::Timing::each}};
  return program;
}

std::vector<chase::Program> hit_programs(const Subject& subject, std::int64_t sm_count, std::int64_t trials) {
  std::vector<chase::Program> programs;
  for (std::int64_t trial = 0; trial < trials; ++trial) {
    for (std::int64_t sm = 0; sm < sm_count; ++sm) programs.push_back(hit_program(subject, sm, trial));
  }
  return programs;
}

void keep_hits(HitAndMiss& seen, std::span<const chase::Result> results, std::int64_t sm_count) {
  seen.by_sm.resize(static_cast<std::size_t>(sm_count));
  const auto trials = static_cast<double>(results.size()) / static_cast<double>(sm_count);
  for (const chase::Result& result : results) {
    const auto hits = net(result);
    seen.hits.insert(seen.hits.end(), hits.begin(), hits.end());
    auto& mine = seen.by_sm.at(static_cast<std::size_t>(result.sms.front()));
    mine.sm = result.sms.front();
    mine.cycles += (result.totals.front() - result.overhead_total) / static_cast<double>(total_loads) / trials;
    seen.overhead_each = result.overhead_each;
    seen.overhead_total = result.overhead_total;
  }
}

HitAndMiss judged(HitAndMiss seen) {
  seen.threshold = analysis::threshold_between(seen.hits, seen.misses);
  return seen;
}

}  // namespace

std::vector<double> HitAndMiss::cycles_by_sm() const {
  std::vector<double> cycles;
  cycles.reserve(by_sm.size());
  for (const SmLatency& one : by_sm) cycles.push_back(one.cycles);
  return cycles;
}

void add_flush(chase::Program& program, const Subject& subject, std::int64_t bytes) {
  constexpr std::int64_t stride = 5 * 32;
  constexpr std::int64_t threads = 1024;
  program.arrays.push_back({bytes});
  const auto array = static_cast<std::int64_t>(program.arrays.size()) - 1;
  const std::int64_t ring = add_ring(program, {array, 0, stride, bytes / stride});
  program.actors.push_back({subject.sm, subject.path, threads});
  program.phases.push_back(
      {static_cast<std::int64_t>(program.actors.size()) - 1, ring, 0, bytes / stride, chase::Timing::untimed});
}

HitAndMiss private_hit_and_miss(const Executor& execute, const Subject& subject, chase::Path beyond,
                                std::int64_t sm_count) {
  // Enough single hits to know how seldom one is misread.
  constexpr std::int64_t wanted = 8192;
  const std::int64_t trials = std::clamp<std::int64_t>(wanted * spacing / small_footprint / sm_count, 3, 64);
  auto programs = hit_programs(subject, sm_count, trials);
  const std::size_t hit_count = programs.size();
  constexpr std::int64_t miss_spacing = 256;
  constexpr std::int64_t missing_loads = 32;  // few, so that the next level holds them whatever bits index it
  for (std::int64_t trial = 0; trial < 64; ++trial) {
    chase::Program program = program_for(subject, page_bytes);
    program.trial = trial;
    program.actors.push_back({subject.sm, beyond, 1});
    const std::int64_t start = trial * missing_loads * miss_spacing;
    add_ring(program, {0, start, miss_spacing, missing_loads});
    const std::int64_t bringing = add_bringing_ring(program, subject, {0, start, miss_spacing, missing_loads});
    program.phases = {{1, bringing, 0, 2 * missing_loads, chase::Timing::untimed},
                      {0, 0, 0, missing_loads, chase::Timing::each}};
    programs.push_back(std::move(program));
  }
  const auto results = execute(programs);
  HitAndMiss seen;
  keep_hits(seen, std::span(results).first(hit_count), sm_count);
  for (const chase::Result& result : std::span(results).subspan(hit_count)) {
    const auto misses = net(result);
    seen.misses.insert(seen.misses.end(), misses.begin(), misses.end());
  }
  return judged(std::move(seen));
}

HitAndMiss shared_hit_and_miss(const Executor& execute, const Subject& subject, std::int64_t flush_bytes,
                               std::int64_t sm_count) {
  constexpr std::int64_t trials = 8;
  auto programs = hit_programs(subject, sm_count, trials);
  const std::size_t hit_count = programs.size();
  constexpr std::int64_t missing_loads = 1024;
  for (std::int64_t trial = 0; trial < 2; ++trial) {
    chase::Program program = program_for(subject, 16 * page_bytes);
    program.trial = trial;
    chase::Ring ring{.array = 0};
    for (const std::int64_t block :
         random_choice(16 * page_bytes / 4096, missing_loads, static_cast<std::uint64_t>(trial))) {
      ring.nodes.push_back(block * 4096);
    }
    add_ring(program, std::move(ring));
    add_flush(program, subject, flush_bytes);
    program.phases.push_back({0, 0, 0, missing_loads, chase::Timing::each});
    programs.push_back(std::move(program));
  }
  const auto results = execute(programs);
  HitAndMiss seen;
  keep_hits(seen, std::span(results).first(hit_count), sm_count);
  for (const chase::Result& result : std::span(results).subspan(hit_count)) {
    const auto misses = net(result);
    seen.misses.insert(seen.misses.end(), misses.begin(), misses.end());
  }
  return judged(std::move(seen));
}

}  // namespace tomograph::cache
