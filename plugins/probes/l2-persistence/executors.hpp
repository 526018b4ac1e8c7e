#ifndef TOMOGRAPH_L2_PERSISTENCE_EXECUTORS_HPP
#define TOMOGRAPH_L2_PERSISTENCE_EXECUTORS_HPP

#include <string_view>

#include "experiments.hpp"
#include "tomograph/cuda/executor.hpp"
#include "tomograph/cuda/memory.hpp"

/// What answers the experiment of this plugin on a GPU.
namespace tomograph::l2_persistence {

/// A GPU with an L2 of which a part can be set aside.
class SetAsideGpu : public cuda::Gpu {
 public:
  /// @throws Refused on GPUs below compute capability 8.0.
  explicit SetAsideGpu(std::string_view target) : Gpu(target, 8, 0) {}

  [[nodiscard]] cuda::DeviceBuffer& persisting() { return persisting_; }
  [[nodiscard]] cuda::DeviceBuffer& normal() { return normal_; }
  [[nodiscard]] cuda::DeviceBuffer& other() { return other_; }

 private:
  cuda::DeviceBuffer persisting_;
  cuda::DeviceBuffer normal_;
  cuda::DeviceBuffer other_;
};

Arrays answer_loads(SetAsideGpu& gpu, const Experiment& experiment);

inline constexpr cuda::Task<SetAsideGpu> loads_task{loads_id, "Times loads of lines that should persist in L2",
                                                    &answer_loads};

}  // namespace tomograph::l2_persistence

#endif
