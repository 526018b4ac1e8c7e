#ifndef TOMOGRAPH_DSMEM_EXECUTORS_HPP
#define TOMOGRAPH_DSMEM_EXECUTORS_HPP

#include <map>
#include <string_view>

#include "experiments.hpp"
#include "kernels.hpp"
#include "tomograph/cuda/executor.hpp"

/// What answers the experiments of this plugin on a GPU. Each type is a task of cuda::KernelExecutor.
namespace tomograph::dsmem {

/// A GPU with clusters.
class ClusterGpu : public cuda::Gpu {
 public:
  /// @throws Refused on GPUs below compute capability 9.0.
  explicit ClusterGpu(std::string_view target) : Gpu(target, 9, 0) {}

  /// Clusters of this size that the GPU holds at the same time, 0 if there are none.
  [[nodiscard]] std::int64_t resident(std::int64_t size);
  /// The grid of all clusters of this size that the GPU holds at the same time. @throws Refused if there are none.
  [[nodiscard]] Shape shape(std::int64_t size);
  /// `bytes` of global memory, all zero.
  [[nodiscard]] std::byte* cleared(std::size_t bytes);

 private:
  std::map<std::int64_t, std::int64_t> resident_;
  cuda::DeviceBuffer memory_;
};

struct LaunchClusters {
  using Gpu = ClusterGpu;
  static constexpr const char* experiment = clusters_id;
  static constexpr const char* description = "Launches clusters of a size and reads the size that CTAs see";
  static Arrays answer(ClusterGpu& gpu, const Experiment& experiment);
};
struct ChasePairs {
  using Gpu = ClusterGpu;
  static constexpr const char* experiment = latency_id;
  static constexpr const char* description = "Loads from the shared memory of every CTA of a cluster";
  static Arrays answer(ClusterGpu& gpu, const Experiment& experiment);
};
struct HandOver {
  using Gpu = ClusterGpu;
  static constexpr const char* experiment = handover_id;
  static constexpr const char* description = "Hands a number to and fro between two SMs";
  static Arrays answer(ClusterGpu& gpu, const Experiment& experiment);
};
struct AccessPartners {
  using Gpu = ClusterGpu;
  static constexpr const char* experiment = throughput_id;
  static constexpr const char* description = "Loads, stores and atomic additions between SMs or through global memory";
  static Arrays answer(ClusterGpu& gpu, const Experiment& experiment);
};

}  // namespace tomograph::dsmem

#endif
