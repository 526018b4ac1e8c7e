#ifndef TOMOGRAPH_CUDA_L2_LINES_TIMED_LOADS_HPP
#define TOMOGRAPH_CUDA_L2_LINES_TIMED_LOADS_HPP

#include "cuda/l2_lines/instrument.hpp"
#include "cuda/l2_lines/timed_loads_kernel.hpp"

namespace tomograph::cuda {

/// Answers tomograph.l2_loads/1.
class L2Loads : public Instrument {
 public:
  /// `memory` outlives this. `overhead` is what timing adds to a load past the L1 cache, in cycles.
  L2Loads(LineMemory& memory, double overhead) : memory_(&memory), overhead_(overhead) {}

  [[nodiscard]] std::string_view id() const override { return TOMOGRAPH_L2_LOADS_ID; }
  [[nodiscard]] std::vector<Answer> execute(std::span<const Experiment> batch) override;

 private:
  [[nodiscard]] l2_lines::LoadsResult run(const l2_lines::Loads& program);

  LineMemory* memory_;
  double overhead_;
  DeviceArray<std::uint32_t> lines_;
  DeviceArray<TimedStep> steps_;
  DeviceArray<LoadsClock> clock_;
};

}  // namespace tomograph::cuda

#endif
