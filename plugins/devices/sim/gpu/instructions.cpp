#include "sim/gpu/instructions.hpp"

#include <string>
#include <vector>

#include "sim/gpu/section.hpp"

namespace tomograph::sim {

namespace {

constexpr double most_cycles = 1e6;

Broken out_of_range(const std::string& key, double value, double low, double high) {
  if (value >= low && value <= high) return std::nullopt;
  return Violation{key, "is out of range, must lie in [" + std::to_string(static_cast<std::int64_t>(low)) + ", " +
                            std::to_string(static_cast<std::int64_t>(high)) + "]"};
}

Broken pipeline_violation(const std::string& key, const Pipeline& pipeline) {
  if (pipeline.issue <= 0) return Violation{key + ".issue", "must be more than 0"};
  if (auto broken = out_of_range(key + ".completion", pipeline.completion, 1, most_cycles)) return broken;
  if (pipeline.completion < pipeline.issue) return Violation{key + ".completion", "must not be less than issue"};
  return std::nullopt;
}

Broken instructions_violation(const Instructions& instructions) {
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  for (const auto& broken : {out_of_range("instructions.schedulers", number(instructions.schedulers), 1, 64),
                             out_of_range("instructions.max_warps", number(instructions.max_warps), 1, 1024),
                             out_of_range("instructions.max_ctas", number(instructions.max_ctas), 1, 1024),
                             out_of_range("instructions.loop_cycles", instructions.loop_cycles, 0, most_cycles),
                             out_of_range("instructions.sigma", instructions.sigma, 0, 1000)}) {
    if (broken) return broken;
  }
  for (const auto& [type, pipeline] : instructions.pipelines) {
    if (auto broken = pipeline_violation(std::string("instructions.") + instruction::name(type), pipeline)) {
      return broken;
    }
  }
  return std::nullopt;
}

Broken divergence_violation(const Divergence& divergence, const std::optional<Instructions>& instructions) {
  if (!instructions || !instructions->pipelines.contains(instruction::Type::fp32_fma)) {
    return Violation{"divergence", "needs instructions.fp32_fma, which the branches consist of"};
  }
  if (auto broken = out_of_range("divergence.width", static_cast<double>(divergence.width), 1, 1024)) return broken;
  return out_of_range("divergence.branch_cycles", divergence.branch_cycles, 0, most_cycles);
}

}  // namespace

Instructions read_instructions(const Section& section) {
  std::vector<std::string> known{"schedulers", "max_warps", "max_ctas", "loop_cycles", "sigma"};
  for (const auto type : instruction::types) known.emplace_back(instruction::name(type));
  section.expect_only(known);
  Instructions instructions;
  instructions.schedulers = section.integer("schedulers", instructions.schedulers);
  instructions.max_warps = section.integer("max_warps", instructions.max_warps);
  instructions.max_ctas = section.integer("max_ctas", instructions.max_ctas);
  instructions.loop_cycles = section.number("loop_cycles", instructions.loop_cycles);
  instructions.sigma = section.number("sigma", instructions.sigma);
  for (const auto type : instruction::types) {
    const auto table = section.optional_section(instruction::name(type));
    if (!table) continue;
    table->expect_only({"completion", "issue"});
    if (!table->has("completion")) table->refuse("completion", "is missing");
    instructions.pipelines[type] = {table->number("completion", 1), table->number("issue", 1)};
  }
  return instructions;
}

Divergence read_divergence(const Section& section) {
  section.expect_only({"width", "branch_cycles"});
  Divergence divergence;
  divergence.width = section.integer("width", divergence.width);
  divergence.branch_cycles = section.number("branch_cycles", divergence.branch_cycles);
  return divergence;
}

Broken violation(const std::optional<Instructions>& instructions, const std::optional<Divergence>& divergence) {
  if (instructions) {
    if (auto broken = instructions_violation(*instructions)) return broken;
  }
  return divergence ? divergence_violation(*divergence, instructions) : std::nullopt;
}

}  // namespace tomograph::sim
