#ifndef TOMOGRAPH_CUDA_INSTRUCTION_INSTRUMENT_HPP
#define TOMOGRAPH_CUDA_INSTRUCTION_INSTRUMENT_HPP

#include <map>
#include <tuple>

#include "cuda/instruction/kernels.hpp"
#include "cuda/occupancy/answers.hpp"
#include "tomograph/instruction.hpp"
#include "tomograph/instrument.hpp"

namespace tomograph::cuda {

/// Answers tomograph.instruction/1.
class InstructionThroughput : public Instrument {
 public:
  explicit InstructionThroughput(int device);

  [[nodiscard]] std::string_view id() const override { return TOMOGRAPH_INSTRUCTION_ID; }
  [[nodiscard]] std::vector<Answer> execute(std::span<const Experiment> batch) override;

 private:
  [[nodiscard]] CountedKernel accept(const instruction::Program& program);

  /// Static shared memory of the kernel, which is prepared to run on the first call.
  [[nodiscard]] std::int64_t fixed_shared(const InstructionKernel& kernel);

  SmRunner runner_;
  bool has_constants_ = false;
  bool has_half_precision_;
  std::map<std::tuple<int, int, bool>, std::int64_t> fixed_shared_;  ///< of the kernels that are prepared
};

}  // namespace tomograph::cuda

#endif
