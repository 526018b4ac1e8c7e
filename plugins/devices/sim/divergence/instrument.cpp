#include "sim/divergence/instrument.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <vector>

#include "sim/instruction/sm_clock.hpp"
#include "tomograph/divergence.hpp"
#include "tomograph/session.hpp"

namespace tomograph::sim {

namespace {

/// Instructions in a branch of the short body; the long one has twice as many. As on the CUDA device.
constexpr std::int64_t short_branch = 32;
constexpr std::int64_t warp_threads = 32;

/// Number of branches that each group of threads executes.
std::vector<std::int64_t> branches_by_group(std::int64_t threads, std::int64_t group, std::int64_t width) {
  std::vector<std::int64_t> counts;
  for (std::int64_t first = 0; first < threads; first += group) {
    std::set<std::int64_t> followed;
    for (std::int64_t thread = first; thread < std::min(first + group, threads); ++thread) {
      followed.insert(thread / width % divergence::branches);
    }
    counts.push_back(static_cast<std::int64_t>(followed.size()));
  }
  return counts;
}

/// Cycles of one instruction of every executed branch, and the number of branches of the group with most of them.
struct Pace {
  double cycles = 0;
  std::int64_t branches = 0;
};

Pace pace(const Gpu& gpu, const std::vector<std::int64_t>& branches) {
  const Pipeline& pipeline = gpu.instructions->pipelines.at(instruction::Type::fp32_fma);
  std::vector<std::int64_t> by_scheduler(static_cast<std::size_t>(gpu.instructions->schedulers));
  for (std::size_t i = 0; i < branches.size(); ++i) by_scheduler[i % by_scheduler.size()] += branches[i];
  const std::int64_t most = std::ranges::max(branches);
  return {std::max(static_cast<double>(std::ranges::max(by_scheduler)) * pipeline.issue,
                   static_cast<double>(most) * pipeline.completion),
          most};
}

SmRuns answer(const Gpu& gpu, const Options& options, const divergence::Program& program,
              const Experiment& experiment) {
  if (!gpu.divergence) throw Refused(TOMOGRAPH_UNSUPPORTED, "this GPU's divergence is not described");
  if (program.warps > gpu.instructions->max_warps) {
    throw Refused(TOMOGRAPH_UNSUPPORTED, "an SM has no room for so many warps");
  }
  const auto branches = branches_by_group(program.warps * warp_threads, gpu.divergence->width, program.width);
  const Pace per_instruction = pace(gpu, branches);
  const std::int64_t length = short_branch * (program.body == instruction::Body::long_body ? 2 : 1);
  const double cycles = static_cast<double>(program.passes) *
                        (static_cast<double>(length) * per_instruction.cycles + gpu.instructions->loop_cycles +
                         static_cast<double>(per_instruction.branches) * gpu.divergence->branch_cycles);
  return {clocked_runs(gpu, options, experiment, cycles, 1, program.repetitions), length * program.passes};
}

}  // namespace

Arrays answer_divergence(const Gpu& gpu, const Options& options, const Experiment& experiment) {
  const divergence::Program program = divergence::decode(experiment);
  if (const auto why = divergence::violation(program)) throw std::invalid_argument(*why);
  return encode(answer(gpu, options, program, experiment));
}

}  // namespace tomograph::sim
