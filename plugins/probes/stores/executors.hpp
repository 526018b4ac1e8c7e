#ifndef TOMOGRAPH_STORES_EXECUTORS_HPP
#define TOMOGRAPH_STORES_EXECUTORS_HPP

#include <string_view>

#include "experiments.hpp"
#include "tomograph/cuda/executor.hpp"
#include "tomograph/cuda/memory.hpp"

/// What answers the experiments of this plugin on a GPU.
namespace tomograph::stores {

/// A GPU with memory for the lines.
class StoringGpu : public cuda::Gpu {
 public:
  explicit StoringGpu(std::string_view target) : Gpu(target) {}
  [[nodiscard]] cuda::DeviceBuffer& lines() { return lines_; }
  [[nodiscard]] cuda::DeviceBuffer& first() { return first_; }
  [[nodiscard]] cuda::DeviceBuffer& second() { return second_; }

 private:
  cuda::DeviceBuffer lines_;
  cuda::DeviceBuffer first_;
  cuda::DeviceBuffer second_;
};

Arrays answer_accesses(StoringGpu& gpu, const Experiment& experiment);
Arrays answer_writes(StoringGpu& gpu, const Experiment& experiment);
Arrays answer_refills(StoringGpu& gpu, const Experiment& experiment);

inline constexpr cuda::Task<StoringGpu> accesses_task{accesses_id, "Times loads of lines that were stored to",
                                                      &answer_accesses};
inline constexpr cuda::Task<StoringGpu> writes_task{writes_id, "Times stores to parts of sectors", &answer_writes};
inline constexpr cuda::Task<StoringGpu> refills_task{refills_id, "Times loads that replace what was stored to",
                                                     &answer_refills};

}  // namespace tomograph::stores

#endif
