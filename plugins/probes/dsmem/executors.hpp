#ifndef TOMOGRAPH_DSMEM_EXECUTORS_HPP
#define TOMOGRAPH_DSMEM_EXECUTORS_HPP

#include <map>
#include <string_view>

#include "experiments.hpp"
#include "kernels.hpp"
#include "tomograph/cuda/executor.hpp"

/// What answers the experiments of this plugin on a GPU.
namespace tomograph::dsmem {

/// A GPU with clusters.
class ClusterGpu : public cuda::Gpu {
 public:
  /// @throws Refused on GPUs below compute capability 9.0, and if the kernels were built for such GPUs.
  explicit ClusterGpu(std::string_view target);

  /// Clusters of this size that the GPU holds at the same time, 0 if there are none.
  [[nodiscard]] std::int64_t resident(std::int64_t size);
  /// The grid of all clusters of this size that the GPU holds at the same time. @throws Refused if there are none.
  [[nodiscard]] Shape shape(std::int64_t size);
  /// `bytes` of global memory, all zero. The next trial gets other memory: what is measured depends on where in L2 it
  /// lies.
  [[nodiscard]] std::byte* cleared(std::size_t bytes, std::int64_t trial);

 private:
  std::uint32_t shared_bytes_;  ///< of each CTA
  std::map<std::int64_t, std::int64_t> resident_;
  cuda::DeviceBuffer memory_;
};

Arrays answer_clusters(ClusterGpu& gpu, const Experiment& experiment);
Arrays answer_latency(ClusterGpu& gpu, const Experiment& experiment);
Arrays answer_handover(ClusterGpu& gpu, const Experiment& experiment);
Arrays answer_throughput(ClusterGpu& gpu, const Experiment& experiment);

inline constexpr cuda::Task<ClusterGpu> clusters_task{
    clusters_id, "Launches clusters of a size and reads the size that CTAs see", &answer_clusters};
inline constexpr cuda::Task<ClusterGpu> latency_task{
    latency_id, "Loads from the shared memory of every CTA of a cluster", &answer_latency};
inline constexpr cuda::Task<ClusterGpu> handover_task{handover_id, "Hands a number back and forth between two SMs",
                                                      &answer_handover};
inline constexpr cuda::Task<ClusterGpu> throughput_task{
    throughput_id, "Loads, stores and atomic additions between SMs or through global memory", &answer_throughput};

}  // namespace tomograph::dsmem

#endif
