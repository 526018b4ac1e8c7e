#ifndef TOMOGRAPH_TMA_EXECUTORS_HPP
#define TOMOGRAPH_TMA_EXECUTORS_HPP

#include <string_view>

#include "experiments.hpp"
#include "kernels.hpp"
#include "tomograph/cuda/executor.hpp"

/// What answers the experiments of this plugin on a GPU.
namespace tomograph::tma {

/// The driver's function that encodes tensor maps.
using EncodeTiled = decltype(&cuTensorMapEncodeTiled);

/// A GPU with a TMA.
class TmaGpu : public cuda::Gpu {
 public:
  /// @throws Refused on GPUs below compute capability 9.0, and where the driver has no tensor maps.
  explicit TmaGpu(std::string_view target);

  /// At least `bytes` of global memory, for copies of `tile` bytes.
  [[nodiscard]] Memory memory(std::int64_t bytes, std::int64_t tile);
  /// Where a request that copies `bytes` cyclically from `region` begins: where the previous one ended, so that the L2
  /// holds nothing of what is read from memory.
  [[nodiscard]] std::int64_t advance(std::int64_t region, std::int64_t bytes);
  /// Fills the L2 with what the part of `region` before `first` is set to. Each line that is stored then takes the
  /// place of one that must be written to memory. An L2 without such lines would take in the first tenth of a run for
  /// nothing.
  void fill_l2_with_stores(std::int64_t region, std::int64_t first);

 private:
  [[nodiscard]] CUtensorMap rows_of(std::int64_t tile) const;

  EncodeTiled encode_;
  std::int64_t place_ = 0;
  cuda::DeviceBuffer memory_;
};

Arrays answer_latency(TmaGpu& gpu, const Experiment& experiment);
Arrays answer_throughput(TmaGpu& gpu, const Experiment& experiment);

inline constexpr cuda::Task<TmaGpu> latency_task{latency_id, "Copies one tile at a time", &answer_latency};
inline constexpr cuda::Task<TmaGpu> throughput_task{throughput_id, "Copies many tiles on all SMs", &answer_throughput};

}  // namespace tomograph::tma

#endif
