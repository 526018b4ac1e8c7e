#include "executors.hpp"

#include <numeric>
#include <string>

#include "kernels.hpp"

namespace tomograph::l2_persistence {

namespace {

/// A part of L2 that is reserved for persisting lines, for as long as this lives. None persists before or after.
class SetAside {
 public:
  explicit SetAside(std::int64_t bytes) {
    cuda::check(cudaCtxResetPersistingL2Cache(), "making lines normal");
    const cudaError_t error = cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, static_cast<std::size_t>(bytes));
    if (error == cudaErrorUnsupportedLimit) throw Refused(TOMOGRAPH_UNSUPPORTED, "no part of L2 can be set aside");
    cuda::check(error, "setting a part of L2 aside");
    std::size_t granted = 0;
    cuda::check(cudaDeviceGetLimit(&granted, cudaLimitPersistingL2CacheSize), "reading what is set aside");
    if (granted >= static_cast<std::size_t>(bytes)) return;
    give_back();  // a MIG instance and a client of MPS have none
    throw Refused(TOMOGRAPH_UNSUPPORTED, "no more than " + std::to_string(granted) + " B of L2 can be set aside");
  }
  SetAside(const SetAside&) = delete;
  SetAside& operator=(const SetAside&) = delete;
  ~SetAside() { give_back(); }

 private:
  static void give_back() {
    static_cast<void>(cudaCtxResetPersistingL2Cache());
    static_cast<void>(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0));
  }
};

/// The largest window of memory whose lines can persist.
std::int64_t largest_window(const SetAsideGpu& gpu) {
  return cuda::attribute(cudaDevAttrMaxAccessPolicyWindowSize, gpu.device());
}

/// Memory that kernels on a stream load as persisting lines, for as long as this lives. None if `bytes` is 0.
class PersistingWindow {
 public:
  PersistingWindow(std::byte* memory, std::int64_t bytes, cudaStream_t stream) : stream_(stream) {
    cuda::check(choose(memory, bytes), "choosing what persists");
  }
  PersistingWindow(const PersistingWindow&) = delete;
  PersistingWindow& operator=(const PersistingWindow&) = delete;
  ~PersistingWindow() { static_cast<void>(choose(nullptr, 0)); }

 private:
  [[nodiscard]] cudaError_t choose(std::byte* memory, std::int64_t bytes) const {
    cudaStreamAttrValue value{};
    value.accessPolicyWindow.base_ptr = memory;
    value.accessPolicyWindow.num_bytes = static_cast<std::size_t>(bytes);
    value.accessPolicyWindow.hitRatio = 1;
    value.accessPolicyWindow.hitProp = bytes > 0 ? cudaAccessPropertyPersisting : cudaAccessPropertyNormal;
    value.accessPolicyWindow.missProp = cudaAccessPropertyNormal;
    return cudaStreamSetAttribute(stream_, cudaStreamAttributeAccessPolicyWindow, &value);
  }

  cudaStream_t stream_;
};

/// Memory of so many bytes that holds zeros. New memory is set, so that it is not loaded before it was written.
std::byte* zeros(cuda::DeviceBuffer& buffer, std::int64_t bytes, cudaStream_t stream) {
  const auto wanted = static_cast<std::size_t>(bytes);
  if (wanted > buffer.size()) {
    buffer.reserve(wanted);
    cuda::check(cudaMemsetAsync(buffer.data(), 0, buffer.size(), stream), "filling memory");
  }
  return buffer.data();
}

/// Lines that are spread evenly over the region, in an order that no prefetcher foresees, none twice: multiples of the
/// golden ratio, modulo 1, never come close to each other (Knuth 1998, section 6.4).
Samples samples_of(const LoadsRequest& request, const std::byte* memory, std::int64_t bytes) {
  constexpr double golden = 0.6180339887498949;  // the golden ratio less 1
  Samples samples{.memory = memory,
                  .lines = static_cast<std::size_t>(bytes) / line_bytes,
                  .count = static_cast<std::uint32_t>(request.samples)};
  if (samples.lines < samples.count) throw Refused(TOMOGRAPH_UNSUPPORTED, "more samples than lines");
  samples.first = static_cast<std::size_t>(request.trial) % samples.lines;
  samples.step = static_cast<std::size_t>(golden * static_cast<double>(samples.lines));
  while (std::gcd(samples.step, samples.lines) != 1) ++samples.step;
  return samples;
}

}  // namespace

Arrays answer_loads(SetAsideGpu& gpu, const Experiment& experiment) {
  constexpr std::uint32_t ctas_per_sm = 8;
  const LoadsRequest request = decode_loads(experiment);
  if (request.persisting > largest_window(gpu)) throw Refused(TOMOGRAPH_UNSUPPORTED, "no window is so large");
  std::byte* const persisting = zeros(gpu.persisting(), request.persisting, gpu.stream());
  std::byte* const normal = zeros(gpu.normal(), request.normal, gpu.stream());
  auto* const cycles = gpu.zeros<std::uint32_t>(static_cast<std::size_t>(request.samples) + 1);
  std::uint32_t* const unused = cycles + request.samples;
  const auto ctas = static_cast<std::uint32_t>(gpu.sms()) * ctas_per_sm;
  const auto load = [&](const std::byte* memory, std::int64_t bytes) {
    cuda::check(load_all(memory, static_cast<std::size_t>(bytes), ctas, unused, gpu.stream()), "launching loads");
  };
  const std::int64_t other = 2 * cuda::attribute(cudaDevAttrL2CacheSize, gpu.device());
  const SetAside set_aside(request.set_aside);
  load(zeros(gpu.other(), other, gpu.stream()), other);
  {
    const PersistingWindow window(persisting, request.set_aside > 0 ? request.persisting : 0, gpu.stream());
    load(persisting, request.persisting);
  }
  load(normal, request.normal);
  const Samples samples = request.samples_normal ? samples_of(request, normal, request.normal)
                                                 : samples_of(request, persisting, request.persisting);
  cuda::check(time_loads(samples, cycles, gpu.stream()), "launching timed loads");
  const auto fetched = gpu.fetch(cycles, static_cast<std::size_t>(request.samples));
  return encode(LoadsAnswer{{fetched.begin(), fetched.end()}});
}

}  // namespace tomograph::l2_persistence
