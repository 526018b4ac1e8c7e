#ifndef TOMOGRAPH_CUDA_EXECUTOR_HPP
#define TOMOGRAPH_CUDA_EXECUTOR_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tomograph/cuda/device.hpp"
#include "tomograph/cuda/memory.hpp"
#include "tomograph/session/instrument.hpp"

/// For executors on the device "cuda": what the kernels of a plugin need of a GPU. An executor holds a Gpu, or a class
/// derived from it with what its own kernels need besides, and answers experiments with `answer_each` of
/// session/instrument.hpp.
namespace tomograph::cuda {

/// A GPU with a stream and a buffer for results. One thread only. Functions throw DeviceLost or std::runtime_error.
class Gpu {
 public:
  /// The GPU that a target of the device "cuda" names. @throws Refused as `select` of cuda/device.hpp.
  explicit Gpu(std::string_view target, int major = 0, int minor = 0)
      : device_(select(target, major, minor)), sms_(attribute(cudaDevAttrMultiProcessorCount, device_)) {}

  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] std::int64_t sms() const { return sms_; }
  [[nodiscard]] cudaStream_t stream() const { return stream_.get(); }

  /// Memory of the device for `count` elements, all bytes zero. Valid until the next call.
  template <typename T>
  [[nodiscard]] T* zeros(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    results_.reserve(bytes);
    check(cudaMemsetAsync(results_.data(), 0, bytes, stream_.get()), "clearing memory");
    return reinterpret_cast<T*>(results_.data());
  }
  /// What is in memory of the device once all kernels on the stream have ended.
  template <typename T>
  [[nodiscard]] std::vector<T> fetch(const T* memory, std::size_t count) {
    std::vector<T> fetched(count);
    check(cudaMemcpyAsync(fetched.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost, stream_.get()),
          "fetching results");
    stream_.synchronize();
    return fetched;
  }

 private:
  int device_;
  std::int64_t sms_;
  Stream stream_;
  DeviceBuffer results_;
};

}  // namespace tomograph::cuda

#endif
