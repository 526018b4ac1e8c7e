#ifndef TOMOGRAPH_CUDA_L2_LINES_DEVICE_ARRAY_HPP
#define TOMOGRAPH_CUDA_L2_LINES_DEVICE_ARRAY_HPP

#include <algorithm>
#include <span>
#include <vector>

#include "tomograph/cuda/memory.hpp"

namespace tomograph::cuda {

/// An array on the device, with the order of its copies given by a stream. It keeps its memory from experiment to
/// experiment.
template <typename T>
class DeviceArray {
 public:
  /// Room for `count` elements of any value. @throws as DeviceBuffer, also below.
  void make_room(std::size_t count) {
    constexpr std::size_t usual = std::size_t{1} << 16;  // so that it seldom grows
    buffer_.reserve(std::max(count * sizeof(T), usual));
    count_ = count;
  }
  /// `count` zeros.
  void clear(std::size_t count, cudaStream_t stream) {
    make_room(count);
    check(cudaMemsetAsync(buffer_.data(), 0, count * sizeof(T), stream), "clearing memory");
  }
  /// A copy of `values`, which must not change before the stream is synchronized.
  void send(std::span<const T> values, cudaStream_t stream) {
    make_room(values.size());
    check(cudaMemcpyAsync(buffer_.data(), values.data(), values.size_bytes(), cudaMemcpyHostToDevice, stream),
          "sending an array");
  }

  [[nodiscard]] T* data() const { return reinterpret_cast<T*>(buffer_.data()); }
  /// The elements after all that the stream was given before.
  [[nodiscard]] std::vector<T> fetch(cudaStream_t stream) const { return fetch(count_, stream); }
  /// The first `count` of them.
  [[nodiscard]] std::vector<T> fetch(std::size_t count, cudaStream_t stream) const {
    std::vector<T> values(count);
    check(cudaMemcpyAsync(values.data(), buffer_.data(), count * sizeof(T), cudaMemcpyDeviceToHost, stream),
          "fetching an array");
    check(cudaStreamSynchronize(stream), "running kernels");
    return values;
  }

 private:
  DeviceBuffer buffer_;
  std::size_t count_ = 0;
};

}  // namespace tomograph::cuda

#endif
