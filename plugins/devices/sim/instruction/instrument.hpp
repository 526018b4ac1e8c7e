#ifndef TOMOGRAPH_SIM_INSTRUCTION_INSTRUMENT_HPP
#define TOMOGRAPH_SIM_INSTRUCTION_INSTRUMENT_HPP

#include "sim/gpu/description.hpp"
#include "sim/options.hpp"
#include "tomograph/experiment.hpp"

namespace tomograph::sim {

/// Cycles of one instruction of every chain of every warp, in steady state. Warps are spread evenly over the
/// schedulers; a scheduler issues one instruction after the other, and each instruction of a chain waits for the one
/// before (Lemeire, Cornelis, Segers 2016, section IV-A).
[[nodiscard]] double round_cycles(const Instructions& instructions, const Pipeline& pipeline, std::int64_t warps,
                                  std::int64_t ilp);

/// Answers experiments of instruction throughput by the pipeline model.
[[nodiscard]] Arrays answer_instruction(const Gpu& gpu, const Options& options, const Experiment& experiment);

}  // namespace tomograph::sim

#endif
