#ifndef TOMOGRAPH_RUNTIME_CALLS_MOVES_HPP
#define TOMOGRAPH_RUNTIME_CALLS_MOVES_HPP

#include <string_view>

#include "experiments.hpp"
#include "tomograph/cuda/executor.hpp"
#include "tomograph/cuda/memory.hpp"

namespace tomograph::runtime_calls {

/// A GPU with memory to copy from and to.
class MovingGpu : public cuda::Gpu {
 public:
  explicit MovingGpu(std::string_view target) : Gpu(target) {}
  [[nodiscard]] cuda::DeviceBuffer& source() { return source_; }
  [[nodiscard]] cuda::DeviceBuffer& target() { return target_; }

 private:
  cuda::DeviceBuffer source_;
  cuda::DeviceBuffer target_;
};

Arrays answer_moves(MovingGpu& gpu, const Experiment& experiment);

}  // namespace tomograph::runtime_calls

#endif
