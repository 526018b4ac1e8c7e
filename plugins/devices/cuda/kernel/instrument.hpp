#ifndef TOMOGRAPH_CUDA_KERNEL_INSTRUMENT_HPP
#define TOMOGRAPH_CUDA_KERNEL_INSTRUMENT_HPP

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cuda/kernel/modules.hpp"
#include "cuda/kernel/task.hpp"
#include "cuda/memory/arena.hpp"
#include "cuda/neighbours/neighbour_monitor.hpp"
#include "tomograph/cuda/memory.hpp"
#include "tomograph/instrument.hpp"
#include "tomograph/kernel.hpp"

namespace tomograph::cuda {

/// Answers tomograph.kernel/1: writes PTX from the description, lets the driver compile it, and launches it.
class Kernels : public Instrument {
 public:
  /// `arena` and `monitor` outlive this.
  Kernels(int device, Arena& arena, NeighbourMonitor& monitor);

  /// The words of the largest footprint so far, as the last kernel left them. For tests.
  [[nodiscard]] std::vector<std::uint32_t> memory() const;

  [[nodiscard]] std::string_view id() const override { return TOMOGRAPH_KERNEL_ID; }
  [[nodiscard]] std::vector<Answer> execute(std::span<const Experiment> batch) override;

 private:
  /// The state of one launch in memory of the device: synchronization words, times, ranks.
  struct State;

  /// Sets `placed` to false if the CTAs were not resident at the same time. @throws as `answer_each` expects.
  [[nodiscard]] Arrays answer(const Experiment& experiment, bool& placed);
  /// The kernel with all SMs named. @throws std::invalid_argument if the device cannot execute it.
  [[nodiscard]] kernel::Kernel accept(kernel::Kernel kernel) const;
  /// Provides the footprint with its content. @throws Refused (UNSUPPORTED) if it does not fit.
  void provide(const kernel::Kernel& kernel);
  void empty_l2(std::uint32_t* sink);
  [[nodiscard]] KernelShape shape_of(const kernel::Kernel& kernel, CUfunction function) const;
  void launch(const kernel::Kernel& kernel, CUfunction function, const KernelShape& shape, const State& state);

  NeighbourMonitor* monitor_;
  std::int64_t sm_count_;
  std::int64_t shared_per_sm_;
  std::int64_t compute_capability_;
  Stream stream_;
  Arena* arena_;
  std::size_t filled_ = 0;  ///< bytes of the arena that have their content, unless a kernel has written
  bool is_written_ = false;
  std::size_t l2_bytes_;
  DeviceBuffer evicting_;  ///< lines that take the places of all others in L2
  DeviceBuffer state_;
  PinnedBuffer mirror_;  ///< of `state_`
  std::unique_ptr<Modules> modules_;
};

}  // namespace tomograph::cuda

#endif
