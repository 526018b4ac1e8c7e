#ifndef TOMOGRAPH_SIM_INSTRUCTION_INSTRUMENT_HPP
#define TOMOGRAPH_SIM_INSTRUCTION_INSTRUMENT_HPP

#include "sim/gpu/description.hpp"
#include "sim/options.hpp"
#include "tomograph/instruction.hpp"
#include "tomograph/instrument.hpp"

namespace tomograph::sim {

/// Cycles of one instruction of every chain of every warp, in steady state. Warps are spread evenly over the
/// schedulers; a scheduler issues one instruction after the other, and each instruction of a chain waits for the one
/// before (Lemeire, Cornelis, Segers 2016, section IV-A).
[[nodiscard]] double round_cycles(const Instructions& instructions, const Pipeline& pipeline, std::int64_t warps,
                                  std::int64_t ilp);

/// Answers experiments of instruction throughput by the pipeline model.
class InstructionThroughput : public Instrument {
 public:
  /// `gpu` must outlive the object.
  InstructionThroughput(const Gpu& gpu, const Options& options) : gpu_(&gpu), options_(options) {}

  [[nodiscard]] std::string_view id() const override { return TOMOGRAPH_INSTRUCTION_ID; }
  [[nodiscard]] std::vector<Answer> execute(std::span<const Experiment> batch) override;

 private:
  [[nodiscard]] SmRuns run(const instruction::Program& program, const Experiment& experiment) const;

  const Gpu* gpu_;
  Options options_;
};

}  // namespace tomograph::sim

#endif
