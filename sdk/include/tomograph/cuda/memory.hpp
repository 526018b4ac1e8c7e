#ifndef TOMOGRAPH_CUDA_MEMORY_HPP
#define TOMOGRAPH_CUDA_MEMORY_HPP

#include <cstddef>
#include <memory>

#include "tomograph/cuda/error.hpp"

namespace tomograph::cuda {

namespace detail {

inline cudaError_t allocate_device(void** memory, std::size_t bytes) { return cudaMalloc(memory, bytes); }
inline cudaError_t allocate_pinned(void** memory, std::size_t bytes) { return cudaMallocHost(memory, bytes); }

}  // namespace detail

/// Bytes of the current GPU that nobody holds. @throws std::runtime_error.
[[nodiscard]] inline std::size_t free_memory() {
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "reading the size of free memory");
  return free;
}

/// Whether so little memory is free that each user gives its own back after a batch, for the next one.
/// @throws std::runtime_error.
[[nodiscard]] inline bool is_memory_scarce() {
  // Two of the largest transfers. Executors of plugins take a few times what the L2 holds, which is less.
  constexpr std::size_t scarce = std::size_t{2} << 30;
  return free_memory() < scarce;
}

/// Memory that grows on demand and is freed at the end. Growing loses the content.
template <cudaError_t (*allocate)(void**, std::size_t), cudaError_t (*release)(void*)>
class Buffer {
 public:
  /// Provides at least `bytes`. @throws OutOfMemory, and then the buffer is empty.
  void reserve(std::size_t bytes) {
    if (bytes <= bytes_) return;
    release_all();
    void* memory = nullptr;
    check(allocate(&memory, bytes), "allocating memory");
    memory_.reset(static_cast<std::byte*>(memory));
    bytes_ = bytes;
  }

  /// Frees the memory.
  void release_all() {
    memory_.reset();
    bytes_ = 0;
  }

  [[nodiscard]] std::byte* data() const { return memory_.get(); }
  [[nodiscard]] std::size_t size() const { return bytes_; }

 private:
  struct Release {
    void operator()(void* memory) const { static_cast<void>(release(memory)); }
  };
  std::unique_ptr<std::byte, Release> memory_;
  std::size_t bytes_ = 0;
};

using DeviceBuffer = Buffer<detail::allocate_device, cudaFree>;
/// Page-locked memory of the host.
using PinnedBuffer = Buffer<detail::allocate_pinned, cudaFreeHost>;

/// A stream that does not wait for the default stream.
class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream"); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { static_cast<void>(cudaStreamDestroy(stream_)); }

  [[nodiscard]] cudaStream_t get() const { return stream_; }
  void synchronize() const { check(cudaStreamSynchronize(stream_), "running kernels"); }

 private:
  cudaStream_t stream_ = nullptr;
};

}  // namespace tomograph::cuda

#endif
