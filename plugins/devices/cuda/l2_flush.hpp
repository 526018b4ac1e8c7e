#ifndef TOMOGRAPH_CUDA_L2_FLUSH_HPP
#define TOMOGRAPH_CUDA_L2_FLUSH_HPP

#include <cstddef>

#include "tomograph/cuda/device.hpp"
#include "tomograph/cuda/memory.hpp"

namespace tomograph::cuda {

/// Fills the L2 of a device with memory that no experiment uses.
class L2Flush {
 public:
  explicit L2Flush(int device) : bytes_(2 * static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize, device))) {}

  /// Writes twice as much as the L2 holds, after what is on the stream. @throws OutOfMemory.
  void enqueue(cudaStream_t stream) {
    memory_.reserve(bytes_);
    check(cudaMemsetAsync(memory_.data(), 0, bytes_, stream), "filling the L2");
  }
  void release_memory() { memory_.release_all(); }

 private:
  std::size_t bytes_;
  DeviceBuffer memory_;
};

}  // namespace tomograph::cuda

#endif
