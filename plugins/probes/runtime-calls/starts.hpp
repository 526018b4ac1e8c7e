#ifndef TOMOGRAPH_RUNTIME_CALLS_STARTS_HPP
#define TOMOGRAPH_RUNTIME_CALLS_STARTS_HPP

#include <array>
#include <cstdint>
#include <string_view>

#include "experiments.hpp"
#include "tomograph/cuda/executor.hpp"
#include "tomograph/cuda/memory.hpp"

namespace tomograph::runtime_calls {

/// Words in page-locked memory of the host. The first kernel of a chain sets one, the last kernel the next. The host
/// sets the third, for which the first kernel may wait.
class Words {
 public:
  Words();

  /// Where kernels find them.
  [[nodiscard]] std::array<std::uint32_t*, 3> on_device() const { return on_device_; }
  void clear();
  /// Lets the first kernel of a chain begin. False if it did not wait.
  [[nodiscard]] bool open();
  /// Waits until word `number` is set. @throws DeviceLost, std::runtime_error if the kernels end without.
  void wait_for(std::size_t number, cudaStream_t stream) const;

 private:
  [[nodiscard]] bool is_set(std::size_t number) const;
  void write(std::size_t number, std::uint32_t value);

  cuda::PinnedBuffer memory_;
  std::array<std::uint32_t*, 3> on_device_{};
};

/// A GPU with the words.
class StartingGpu : public cuda::Gpu {
 public:
  explicit StartingGpu(std::string_view target) : Gpu(target) {}
  [[nodiscard]] Words& words() { return words_; }

 private:
  Words words_;
};

Arrays answer_starts(StartingGpu& gpu, const Experiment& experiment);

}  // namespace tomograph::runtime_calls

#endif
