#include "sim/gpu/instructions.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "sim/gpu/section.hpp"

namespace tomograph::sim {

namespace {

Broken pipeline_violation(const std::string& key, const Pipeline& pipeline, std::int64_t max_warps) {
  if (pipeline.ridge_warps) {
    const std::int64_t most = std::ranges::max(*pipeline.ridge_warps);
    if (auto broken = at_most(key + ".ridge_warps", most, "instructions.max_warps", max_warps)) return broken;
  }
  const bool is_stated = pipeline.completion_by_ilp.has_value();
  for (const std::int64_t ilp : {1, 2, 4}) {
    const bool is_less = pipeline.completion_at(ilp) < pipeline.issue_at(ilp);
    if (is_less && (is_stated || ilp == 1)) return Violation{key + ".completion", "must not be less than issue"};
  }
  return std::nullopt;
}

/// The place of an ILP of 1, 2, 4 or more among numbers for 1, 2 and 4.
std::size_t place(std::int64_t ilp) { return ilp < 2 ? 0 : ilp < 4 ? 1 : 2; }

template <typename Value>
std::array<Value, 3> three(const std::vector<Value>& values) {
  return {values[0], values[1], values[2]};
}

Pipeline read_pipeline(const Section& section) {
  Pipeline pipeline;
  const auto read = [&section](const char* key, double& alone, std::optional<std::array<double, 3>>& by_ilp) {
    if (section.is_array(key)) {
      by_ilp = three(section.numbers(key));
      alone = by_ilp->front();
    } else {
      alone = section.number(key, 1);
    }
  };
  read("completion", pipeline.completion, pipeline.completion_by_ilp);
  read("issue", pipeline.issue, pipeline.issue_by_ilp);
  if (section.has("ridge_warps")) pipeline.ridge_warps = three(section.integers("ridge_warps"));
  return pipeline;
}

Broken instructions_violation(const Instructions& instructions) {
  for (const auto& [type, pipeline] : instructions.pipelines) {
    if (auto broken = pipeline_violation(std::string("instructions.") + instruction::name(type), pipeline,
                                         instructions.max_warps)) {
      return broken;
    }
  }
  return std::nullopt;
}

Broken divergence_violation(const std::optional<Instructions>& instructions) {
  if (instructions && instructions->pipelines.contains(instruction::Type::fp32_fma)) return std::nullopt;
  return Violation{"divergence", "needs instructions.fp32_fma, which the branches consist of"};
}

}  // namespace

double Pipeline::completion_at(std::int64_t ilp) const {
  return completion_by_ilp ? (*completion_by_ilp)[place(ilp)] : completion / static_cast<double>(ilp);
}

double Pipeline::issue_at(std::int64_t ilp) const { return issue_by_ilp ? (*issue_by_ilp)[place(ilp)] : issue; }

std::int64_t Pipeline::ridge_at(std::int64_t ilp) const { return ridge_warps ? (*ridge_warps)[place(ilp)] : 1; }

Instructions read_instructions(const Section& section) {
  Instructions instructions;
  instructions.schedulers = section.integer("schedulers", instructions.schedulers);
  instructions.max_warps = section.integer("max_warps", instructions.max_warps);
  instructions.max_ctas = section.integer("max_ctas", instructions.max_ctas);
  instructions.loop_cycles = section.number("loop_cycles", instructions.loop_cycles);
  instructions.sigma = section.number("sigma", instructions.sigma);
  for (const auto type : instruction::types) {
    const auto table = section.optional_section(instruction::name(type));
    if (table) instructions.pipelines[type] = read_pipeline(*table);
  }
  return instructions;
}

Divergence read_divergence(const Section& section) {
  Divergence divergence;
  divergence.width = section.integer("width", divergence.width);
  divergence.branch_cycles = section.number("branch_cycles", divergence.branch_cycles);
  return divergence;
}

Broken violation(const std::optional<Instructions>& instructions, const std::optional<Divergence>& divergence) {
  if (instructions) {
    if (auto broken = instructions_violation(*instructions)) return broken;
  }
  return divergence ? divergence_violation(instructions) : std::nullopt;
}

}  // namespace tomograph::sim
