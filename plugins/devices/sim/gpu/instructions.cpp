#include "sim/gpu/instructions.hpp"

#include <string>
#include <vector>

#include "sim/gpu/section.hpp"

namespace tomograph::sim {

namespace {

constexpr double most_cycles = 1e6;
constexpr std::array<std::int64_t, 3> ilp_levels{1, 2, 4};

Broken out_of_range(const std::string& key, double value, double low, double high) {
  if (value >= low && value <= high) return std::nullopt;
  return Violation{key, "is out of range, must lie in [" + std::to_string(static_cast<std::int64_t>(low)) + ", " +
                            std::to_string(static_cast<std::int64_t>(high)) + "]"};
}

Broken pipeline_violation(const std::string& key, const Pipeline& pipeline) {
  if (pipeline.issue <= 0) return Violation{key + ".issue", "must be more than 0"};
  if (auto broken = out_of_range(key + ".completion", pipeline.completion, 1, most_cycles)) return broken;
  if (pipeline.completion < pipeline.issue) return Violation{key + ".completion", "must not be less than issue"};
  for (const auto ilp : ilp_levels) {
    if (pipeline.issue_at(ilp) <= 0) return Violation{key + ".issue", "must be more than 0"};
    if (auto broken = out_of_range(key + ".completion", pipeline.completion_at(ilp), 0, most_cycles)) return broken;
  }
  return std::nullopt;
}

/// The place of an ILP of 1, 2, 4 or more among numbers for 1, 2 and 4.
std::size_t place(std::int64_t ilp) { return ilp < 2 ? 0 : ilp < 4 ? 1 : 2; }

template <typename Value>
std::array<Value, 3> three(const Section& section, const char* key, const std::vector<Value>& values) {
  if (values.size() != 3) section.refuse(key, "must have one number for 1, 2 and 4 independent instructions each");
  return {values[0], values[1], values[2]};
}

Pipeline read_pipeline(const Section& section) {
  section.expect_only({"completion", "issue", "ridge_warps"});
  if (!section.has("completion")) section.refuse("completion", "is missing");
  Pipeline pipeline;
  const auto read = [&section](const char* key, double& alone, std::optional<std::array<double, 3>>& by_ilp) {
    if (section.is_array(key)) {
      by_ilp = three(section, key, section.numbers(key));
      alone = by_ilp->front();
    } else {
      alone = section.number(key, 1);
    }
  };
  read("completion", pipeline.completion, pipeline.completion_by_ilp);
  read("issue", pipeline.issue, pipeline.issue_by_ilp);
  if (section.has("ridge_warps")) pipeline.ridge_warps = three(section, "ridge_warps", section.integers("ridge_warps"));
  return pipeline;
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

double Pipeline::completion_at(std::int64_t ilp) const {
  return completion_by_ilp ? (*completion_by_ilp)[place(ilp)] : completion / static_cast<double>(ilp);
}

double Pipeline::issue_at(std::int64_t ilp) const { return issue_by_ilp ? (*issue_by_ilp)[place(ilp)] : issue; }

std::int64_t Pipeline::ridge_at(std::int64_t ilp) const { return ridge_warps ? (*ridge_warps)[place(ilp)] : 1; }

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
    if (table) instructions.pipelines[type] = read_pipeline(*table);
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
