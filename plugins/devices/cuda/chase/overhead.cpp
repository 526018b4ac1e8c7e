#include "cuda/chase/overhead.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::cuda {

namespace {

/// Loads of a short and of a long phase: one iteration of the loop over long blocks, and enough that fixed costs
/// divided by the loads are below 0.1 cycles.
constexpr std::int64_t short_phase = 128;
constexpr std::int64_t long_phase = 4096;
/// Repetitions of each phase, of which the median counts. On an H200 five measurements agree within 0.1 cycles.
constexpr std::size_t repetitions = 5;
/// The load paths whose loads hit a private cache. Loads past the L1 cache vary; their overhead is that of `global_ca`,
/// which has the same instructions.
constexpr std::array hitting_paths{chase::Path::global_ca,  chase::Path::global_nc, chase::Path::texture,
                                   chase::Path::texture_2d, chase::Path::constant,  chase::Path::shared,
                                   chase::Path::instruction};

/// Walks eight nodes, which the smallest cache of every path holds, then times single loads, short and long phases.
chase::Program hits(chase::Path path) {
  const chase::Space space = chase::space_of(path);
  chase::Program program;
  program.arrays = {{512, chase::no_alias, space, space == chase::Space::texture ? 512 : 0}};
  program.rings = {{0, 0, 64, 8, chase::Order::sequential, 0, {}}};
  if (path == chase::Path::instruction) {
    // More nodes, because the beginning of a lap takes additional time.
    constexpr std::int64_t nodes = 64;
    program.arrays.front().bytes = nodes * code_block_bytes;
    program.rings.front() = {0, 0, code_block_bytes, nodes, chase::Order::sequential, 0, {}};
  }
  program.actors = {{chase::any_sm, path}};
  program.phases = {{0, 0, 0, 64, chase::Timing::untimed}, {0, 0, 0, 64, chase::Timing::each}};
  program.phases.insert(program.phases.end(), repetitions, {0, 0, 0, short_phase, chase::Timing::total});
  program.phases.insert(program.phases.end(), repetitions, {0, 0, 0, long_phase, chase::Timing::total});
  return program;
}

/// The cycles of each load of a phase (`share`), and those that the phase takes besides its loads.
struct PhaseTime {
  explicit PhaseTime(const std::vector<double>& totals) {
    const auto middle = totals.begin() + static_cast<std::ptrdiff_t>(repetitions);
    const double brief = analysis::median(std::vector<double>(totals.begin(), middle));
    const double extended = analysis::median(std::vector<double>(middle, totals.end()));
    share = (extended - brief) / static_cast<double>(long_phase - short_phase);
    overhead = brief - share * static_cast<double>(short_phase);
  }
  double share;
  double overhead;
};

/// Runs the programs until none of them was interrupted by another program, at most `attempts` times.
std::vector<Outcome> uninterrupted(Executor& executor, const std::vector<chase::Program>& programs) {
  constexpr int attempts = 10;  // of which each takes a tenth of the turn that a busy GPU grants
  const auto is_whole = [](const Outcome& outcome) { return outcome.failure || outcome.end == PartEnd::done; };
  std::vector<Outcome> outcomes = executor.run(programs);
  for (int i = 1; i < attempts && !std::ranges::all_of(outcomes, is_whole); ++i) outcomes = executor.run(programs);
  return outcomes;
}

}  // namespace

Overhead measure_overhead(Executor& executor) {
  std::vector<chase::Program> programs;
  for (const chase::Path path : hitting_paths) programs.push_back(hits(path));
  const std::vector<Outcome> outcomes = uninterrupted(executor, programs);
  Overhead overhead;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const Outcome& outcome = outcomes[i];
    // Programs without instruction memory do not need this overhead.
    if (outcome.failure && hitting_paths[i] == chase::Path::instruction) continue;
    if (outcome.failure) throw std::runtime_error("measuring the overhead of timing: " + *outcome.failure);
    const PhaseTime phase(outcome.result.totals);
    const std::vector<std::uint32_t>& single = outcome.result.traces.front().latency;
    const double latency = analysis::median(std::vector<double>(single.begin(), single.end()));
    overhead.paths[hitting_paths[i]] = {latency - phase.share, phase.overhead};
  }
  overhead.paths[chase::Path::global_cg] = overhead.paths[chase::Path::global_ca];
  return overhead;
}

PathOverhead Overhead::of(const chase::Program& program) const {
  if (program.actors.empty()) return {};
  const auto path = [&](const chase::Phase& phase) {
    return program.actors[static_cast<std::size_t>(phase.actor)].path;
  };
  const auto first = [&](chase::Timing timing) {
    const auto phase = std::ranges::find(program.phases, timing, &chase::Phase::timing);
    const auto found = paths.find(phase == program.phases.end() ? program.actors.front().path : path(*phase));
    return found == paths.end() ? PathOverhead{} : found->second;
  };
  return {first(chase::Timing::each).each, first(chase::Timing::total).total};
}

}  // namespace tomograph::cuda
