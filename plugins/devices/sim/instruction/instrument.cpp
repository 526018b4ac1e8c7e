#include "sim/instruction/instrument.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "sim/instruction/sm_clock.hpp"
#include "tomograph/instruction.hpp"
#include "tomograph/session.hpp"

namespace tomograph::sim {

namespace {

/// Instructions in the short loop body; the long one has twice as many. As on the CUDA device.
constexpr std::int64_t short_body = 128;
/// Most of the full rate that fewer warps than ridge_warps reach, as the schema says.
constexpr double share_below_ridge = 0.9;

const Pipeline& pipeline_of(const Gpu& gpu, instruction::Type type) {
  if (!gpu.instructions) throw Refused(TOMOGRAPH_UNSUPPORTED, "this GPU's instructions are not described");
  const auto found = gpu.instructions->pipelines.find(type);
  if (found != gpu.instructions->pipelines.end()) return found->second;
  throw Refused(TOMOGRAPH_UNSUPPORTED, std::string("this GPU has no instructions of type ") + instruction::name(type));
}

}  // namespace

double round_cycles(const Instructions& instructions, const Pipeline& pipeline, std::int64_t warps, std::int64_t ilp) {
  const std::int64_t most = (warps + instructions.schedulers - 1) / instructions.schedulers;
  const double issue = pipeline.issue_at(ilp);
  const double of_warp = static_cast<double>(ilp) * pipeline.completion_at(ilp);
  const double of_scheduler = static_cast<double>(most * ilp) * issue;
  const double below_ridge =
      static_cast<double>(warps * ilp) * issue / static_cast<double>(instructions.schedulers) / share_below_ridge;
  return std::max({of_warp, of_scheduler, warps < pipeline.ridge_at(ilp) ? below_ridge : 0});
}

namespace {

SmRuns answer(const Gpu& gpu, const Options& options, const instruction::Program& program,
              const Experiment& experiment) {
  const Pipeline& pipeline = pipeline_of(gpu, program.type);
  const Instructions& instructions = *gpu.instructions;
  const std::int64_t warps = program.ctas * program.warps;
  if (program.ctas > instructions.max_ctas || warps > instructions.max_warps) {
    throw Refused(TOMOGRAPH_UNSUPPORTED, "an SM has no room for so many CTAs or warps");
  }
  const std::int64_t body = short_body * (program.body == instruction::Body::long_body ? 2 : 1);
  const auto passes = static_cast<double>(program.passes);
  const double links = static_cast<double>(body) / static_cast<double>(program.ilp);
  const double cycles =
      passes * (links * round_cycles(instructions, pipeline, warps, program.ilp) + instructions.loop_cycles);
  return {clocked_runs(gpu, options, experiment, cycles, program.ctas, program.repetitions), body * program.passes};
}

}  // namespace

Arrays answer_instruction(const Gpu& gpu, const Options& options, const Experiment& experiment) {
  const instruction::Program program = instruction::decode(experiment);
  if (const auto why = instruction::violation(program)) throw std::invalid_argument(*why);
  return encode(answer(gpu, options, program, experiment));
}

}  // namespace tomograph::sim
