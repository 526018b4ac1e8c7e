#ifndef TOMOGRAPH_CUDA_L2_LINES_EVICTION_HPP
#define TOMOGRAPH_CUDA_L2_LINES_EVICTION_HPP

#include "cuda/l2_lines/eviction_kernel.hpp"
#include "cuda/l2_lines/instrument.hpp"

namespace tomograph::cuda {

/// Answers tomograph.l2_eviction/1.
class L2Eviction : public Instrument {
 public:
  /// `memory` outlives this. `overhead` is what timing adds to a load past the L1 cache, in cycles.
  L2Eviction(LineMemory& memory, double overhead) : memory_(&memory), overhead_(overhead) {}

  [[nodiscard]] std::string_view id() const override { return TOMOGRAPH_L2_EVICTION_ID; }
  [[nodiscard]] std::vector<Answer> execute(std::span<const Experiment> batch) override;

 private:
  [[nodiscard]] l2_lines::EvictionResult run(const l2_lines::Evictions& program);

  LineMemory* memory_;
  double overhead_;
  DeviceArray<EvictionTestTask> tests_;
  DeviceArray<LineRun> target_runs_;
  DeviceArray<LineRun> walk_runs_;
  DeviceArray<std::int32_t> observers_;
  DeviceArray<std::int32_t> walkers_;
  DeviceArray<LateTarget> late_;
  DeviceArray<EvictionCounts> counts_;
};

}  // namespace tomograph::cuda

#endif
