#ifndef TOMOGRAPH_WORKLOADS_EXECUTORS_HPP
#define TOMOGRAPH_WORKLOADS_EXECUTORS_HPP

#include <string_view>

#include "experiments.hpp"
#include "tomograph/cuda/executor.hpp"

/// What answers the experiments of this plugin on a GPU.
namespace tomograph::workloads {

class WorkloadGpu : public cuda::Gpu {
 public:
  explicit WorkloadGpu(std::string_view target) : Gpu(target) {}

  /// Memory of the device with this content.
  [[nodiscard]] std::byte* with_content(const std::vector<std::byte>& content);

 private:
  cuda::DeviceBuffer memory_;
};

Arrays answer_run(WorkloadGpu& gpu, const Experiment& experiment);

Arrays answer_launch(WorkloadGpu& gpu, const Experiment& experiment);

inline constexpr cuda::Task<WorkloadGpu> launch_task{launch_id, "Times CTAs that follow each other", &answer_launch};
inline constexpr cuda::Task<WorkloadGpu> run_task{run_id, "Runs a workload, checks its results and times it",
                                                  &answer_run};

}  // namespace tomograph::workloads

#endif
