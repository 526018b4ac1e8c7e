#ifndef TOMOGRAPH_CUDA_LINKS_PLACES_HPP
#define TOMOGRAPH_CUDA_LINKS_PLACES_HPP

#include <cstddef>
#include <map>
#include <vector>

#include "tomograph/cuda/memory.hpp"
#include "tomograph/transfer.hpp"

namespace tomograph::cuda {

namespace detail {

inline cudaError_t allocate_managed(void** memory, std::size_t bytes) { return cudaMallocManaged(memory, bytes); }

}  // namespace detail

/// Memory whose pages move to where they are accessed.
using ManagedBuffer = Buffer<detail::allocate_managed, cudaFree>;

/// Makes a GPU the current one until the end of the scope, then the one before.
class CurrentGpu {
 public:
  explicit CurrentGpu(int gpu);
  CurrentGpu(const CurrentGpu&) = delete;
  CurrentGpu& operator=(const CurrentGpu&) = delete;
  ~CurrentGpu() { static_cast<void>(cudaSetDevice(before_)); }

 private:
  int before_ = 0;
};

/// Memory of the host and of all GPUs, as one GPU reaches it. Nothing is allocated on another GPU before an experiment
/// asks for it. Functions throw OutOfMemory, DeviceLost or std::runtime_error.
class Places {
 public:
  explicit Places(int device) : device_(device) {}

  [[nodiscard]] int device() const { return device_; }

  /// @throws Refused (UNSUPPORTED) unless `place` is of the host or a GPU that this process sees.
  static void expect(transfer::Place place);
  /// Lets the GPU access `place` by loads, stores and copies. @throws Refused (UNSUPPORTED) if it cannot.
  void connect(transfer::Place place) const;

  /// At least `bytes` of memory of a place, aligned to pages. Valid until the next call for this place, or `release`.
  [[nodiscard]] std::byte* memory(transfer::Place place, std::size_t bytes);
  /// Frees all memory.
  void release();

 private:
  int device_;
  std::map<transfer::Place, DeviceBuffer> on_gpus_;
  PinnedBuffer pinned_;
  std::vector<std::byte> pageable_;
};

}  // namespace tomograph::cuda

#endif
