#ifndef TOMOGRAPH_SIM_GPU_INSTRUCTIONS_HPP
#define TOMOGRAPH_SIM_GPU_INSTRUCTIONS_HPP

#include <array>
#include <cstdint>
#include <map>
#include <optional>

#include "sim/gpu/rules.hpp"
#include "tomograph/instruction.hpp"

/// The execution units of a simulated SM. schemas/simulated-gpu.schema.json defines every field under the same name.
namespace tomograph::sim {

class Section;

/// The pipeline of one type of instruction (Lemeire, Cornelis, Segers 2016, section IV).
struct Pipeline {
  double completion = 1;  ///< cycles until a dependent instruction can start
  double issue = 1;       ///< cycles until a scheduler can start an independent one
  /// Cycles per instruction with 1, 2 and 4 independent instructions in a warp. Absent: they follow from the two above.
  std::optional<std::array<double, 3>> completion_by_ilp = {};
  std::optional<std::array<double, 3>> issue_by_ilp = {};
  /// Fewest warps that issue at the full rate. Absent: as many as Little's law demands.
  std::optional<std::array<std::int64_t, 3>> ridge_warps = {};

  /// Cycles per instruction of a lone warp.
  [[nodiscard]] double completion_at(std::int64_t ilp) const;
  [[nodiscard]] double issue_at(std::int64_t ilp) const;
  [[nodiscard]] std::int64_t ridge_at(std::int64_t ilp) const;
};

struct Instructions {
  std::int64_t schedulers = 4;
  std::int64_t max_warps = 64;
  std::int64_t max_ctas = 32;
  double loop_cycles = 0;  ///< overhead of each pass of the measuring loop
  double sigma = 0;        ///< standard deviation of the cycles of a run
  std::map<instruction::Type, Pipeline> pipelines;
};

struct Divergence {
  std::int64_t width = 32;   ///< threads that share one stream of instructions
  double branch_cycles = 0;  ///< overhead of each branch that such a group of threads follows
};

[[nodiscard]] Instructions read_instructions(const Section& section);
[[nodiscard]] Divergence read_divergence(const Section& section);

/// The first broken rule of instructions and divergence, or nothing.
[[nodiscard]] Broken violation(const std::optional<Instructions>& instructions,
                               const std::optional<Divergence>& divergence);

}  // namespace tomograph::sim

#endif
