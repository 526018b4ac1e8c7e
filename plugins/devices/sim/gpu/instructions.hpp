#ifndef TOMOGRAPH_SIM_GPU_INSTRUCTIONS_HPP
#define TOMOGRAPH_SIM_GPU_INSTRUCTIONS_HPP

#include <array>
#include <cstdint>
#include <map>
#include <optional>

#include "sim/gpu/rules.hpp"
#include "tomograph/experiment/instruction.hpp"

/// The execution units of a simulated SM as values. schemas/simulated-gpu.schema.json defines the meaning of every
/// field; names are the same in both.
namespace tomograph::sim {

class Section;

/// The pipeline of one type of instruction (Lemeire, Cornelis, Segers 2016, section IV).
struct Pipeline {
  double completion = 1;  ///< cycles until a dependent instruction can start
  double issue = 1;       ///< cycles until a scheduler can start an independent one
  /// The same by instruction with 1, 2 and 4 independent ones in a warp, where they do not follow from these; and
  /// fewest warps that issue at the full rate, where it is not Little's law that demands them.
  std::optional<std::array<double, 3>> completion_by_ilp = {};
  std::optional<std::array<double, 3>> issue_by_ilp = {};
  std::optional<std::array<std::int64_t, 3>> ridge_warps = {};

  /// Cycles per instruction of a warp that is alone.
  [[nodiscard]] double completion_at(std::int64_t ilp) const;
  [[nodiscard]] double issue_at(std::int64_t ilp) const;
  [[nodiscard]] std::int64_t ridge_at(std::int64_t ilp) const;
};

struct Instructions {
  std::int64_t schedulers = 4;
  std::int64_t max_warps = 64;
  std::int64_t max_ctas = 32;
  double loop_cycles = 0;  ///< that each pass of a measuring loop adds
  double sigma = 0;        ///< standard deviation in cycles of what a run takes
  std::map<instruction::Type, Pipeline> pipelines;
};

struct Divergence {
  std::int64_t width = 32;   ///< threads that share one stream of instructions
  double branch_cycles = 0;  ///< that each branch adds which one such group of threads follows
};

[[nodiscard]] Instructions read_instructions(const Section& section);
[[nodiscard]] Divergence read_divergence(const Section& section);

/// The first broken rule of instructions and divergence, or nothing.
[[nodiscard]] Broken violation(const std::optional<Instructions>& instructions,
                               const std::optional<Divergence>& divergence);

}  // namespace tomograph::sim

#endif
