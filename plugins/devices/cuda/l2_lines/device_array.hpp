#ifndef TOMOGRAPH_CUDA_L2_LINES_DEVICE_ARRAY_HPP
#define TOMOGRAPH_CUDA_L2_LINES_DEVICE_ARRAY_HPP

#include <span>
#include <vector>

#include "tomograph/cuda/memory.hpp"

namespace tomograph::cuda {

/// An array on the device, with the order of its copies given by a stream.
template <typename T>
class DeviceArray {
 public:
  /// `count` elements of zeros. @throws as DeviceBuffer.
  DeviceArray(std::size_t count, cudaStream_t stream) : count_(count), stream_(stream) {
    buffer_.reserve(count * sizeof(T));
    check(cudaMemsetAsync(buffer_.data(), 0, count * sizeof(T), stream), "clearing memory");
  }
  /// A copy of `values`, which must not change before the stream is synchronized.
  DeviceArray(std::span<const T> values, cudaStream_t stream) : count_(values.size()), stream_(stream) {
    buffer_.reserve(values.size_bytes());
    check(cudaMemcpyAsync(buffer_.data(), values.data(), values.size_bytes(), cudaMemcpyHostToDevice, stream),
          "sending an array");
  }

  [[nodiscard]] T* data() const { return reinterpret_cast<T*>(buffer_.data()); }
  /// The elements after all that the stream was given before.
  [[nodiscard]] std::vector<T> fetch() const {
    std::vector<T> values(count_);
    check(cudaMemcpyAsync(values.data(), buffer_.data(), count_ * sizeof(T), cudaMemcpyDeviceToHost, stream_),
          "fetching an array");
    check(cudaStreamSynchronize(stream_), "running kernels");
    return values;
  }

 private:
  DeviceBuffer buffer_;
  std::size_t count_;
  cudaStream_t stream_;
};

}  // namespace tomograph::cuda

#endif
