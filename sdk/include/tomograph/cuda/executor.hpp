#ifndef TOMOGRAPH_CUDA_EXECUTOR_HPP
#define TOMOGRAPH_CUDA_EXECUTOR_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tomograph/cuda/device.hpp"
#include "tomograph/cuda/memory.hpp"
#include "tomograph/instrument.hpp"

/// For executors on the device "cuda". A plugin describes each experiment as a task of KernelExecutor, which works with
/// a Gpu or with a class derived from it.
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
  /// The compute capability times 10, e.g. 90. @throws std::runtime_error.
  [[nodiscard]] int capability() const {
    return static_cast<int>(10 * attribute(cudaDevAttrComputeCapabilityMajor, device_) +
                            attribute(cudaDevAttrComputeCapabilityMinor, device_));
  }
  /// Dynamic shared memory of a CTA, in bytes, with which no second one fits on its SM, or as much as a CTA may have
  /// beside 1 KiB of static memory. @throws std::runtime_error.
  [[nodiscard]] std::uint32_t more_than_half_of_shared_memory() const {
    constexpr std::int64_t kibi = 1024;
    const std::int64_t half = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, device_) / 2;
    const std::int64_t most = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device_);
    return static_cast<std::uint32_t>(std::min(half + kibi, most - kibi));
  }

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
    const std::size_t bytes = count * sizeof(T);
    // Page-locked memory of the host saves the driver a copy of its own. Usual results fit at once.
    constexpr std::size_t usual = std::size_t{64} << 10;
    fetched_.reserve(std::max(bytes, usual));
    check(cudaMemcpyAsync(fetched_.data(), memory, bytes, cudaMemcpyDeviceToHost, stream_.get()), "fetching results");
    stream_.synchronize();
    std::vector<T> fetched(count);
    if (bytes > 0) std::memcpy(fetched.data(), fetched_.data(), bytes);
    return fetched;
  }

 private:
  int device_;
  std::int64_t sms_;
  Stream stream_;
  DeviceBuffer results_;
  PinnedBuffer fetched_;
};

/// An experiment of a plugin, and what answers it on a GPU. `Gpu` is constructed from the target of the device.
template <typename Gpu>
struct Task {
  const char* experiment;
  const char* description;
  Arrays (*answer)(Gpu& gpu, const Experiment& experiment);
};

/// An executor, for Executors<...> of tomograph/plugin.hpp, that answers experiments one by one, as `answer_each` of
/// tomograph/instrument.hpp does. `task` is a constexpr Task at namespace scope. Where memory is scarce, the Gpu with
/// its buffers lives for one batch; else until the end.
template <const auto& task>
class KernelExecutor {
 public:
  static constexpr const char* experiment = task.experiment;
  static constexpr const char* device = "cuda";
  static constexpr const char* description = task.description;

  KernelExecutor(const Session& /*session*/, std::string_view target) : target_(target), gpu_(std::in_place, target_) {}

  [[nodiscard]] std::vector<Answer> execute(std::span<const Experiment> batch) {
    if (!gpu_) gpu_.emplace(target_);
    auto answers = answer_each(batch, [this](const Experiment& one) { return task.answer(*gpu_, one); });
    if (is_memory_scarce()) gpu_.reset();
    return answers;
  }

 private:
  template <typename Gpu>
  static Gpu gpu_of(const Task<Gpu>&);

  std::string target_;
  std::optional<decltype(gpu_of(task))> gpu_;  ///< nothing while memory is scarce
};

/// Nanoseconds from the first `begin_ns` to the last `end_ns` of CTAs, 0 if there are none.
template <typename CtaTime>
[[nodiscard]] double elapsed_nanoseconds(const std::vector<CtaTime>& times) {
  if (times.empty()) return 0;
  const std::uint64_t begin = std::ranges::min(times, {}, &CtaTime::begin_ns).begin_ns;
  const std::uint64_t end = std::ranges::max(times, {}, &CtaTime::end_ns).end_ns;
  return static_cast<double>(end - begin);
}

}  // namespace tomograph::cuda

#endif
