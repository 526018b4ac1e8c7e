#include "executors.hpp"

#include <algorithm>

#include "kernels.hpp"
#include "tomograph/cuda/device.hpp"
#include "tomograph/cuda/memory.hpp"
#include "tomograph/session/instrument.hpp"

namespace tomograph::dsmem {

/// A GPU with what all executors need of it.
class Gpu {
 public:
  explicit Gpu(std::string_view target)
      : sms_(cuda::attribute(cudaDevAttrMultiProcessorCount, cuda::select(target, 9, 0))) {}

  /// Clusters of this size that the GPU holds at once. @throws Refused if there are none.
  [[nodiscard]] std::int64_t clusters(std::int64_t size) {
    const std::int64_t count = resident_clusters(size);
    if (count > 0) return count;
    throw Refused(TOMOGRAPH_UNSUPPORTED, "the GPU has no clusters of " + std::to_string(size) + " CTAs");
  }
  /// The same, 0 if there are none.
  [[nodiscard]] std::int64_t resident_clusters(std::int64_t size) {
    if (size == 1) return sms_;
    const auto found = resident_.find(size);
    if (found != resident_.end()) return found->second;
    int count = 0;
    const cudaError_t error = resident(static_cast<std::uint32_t>(size), &count);
    if (error == cudaErrorInvalidClusterSize || error == cudaErrorInvalidValue) {
      static_cast<void>(cudaGetLastError());
      count = 0;
    } else {
      cuda::check(error, "asking for the number of clusters");
    }
    return resident_[size] = count;
  }
  [[nodiscard]] Shape shape(std::int64_t size) {
    return {static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(clusters(size)), stream_.get()};
  }

  /// Memory of the device for `count` elements, all zero.
  template <typename T>
  [[nodiscard]] T* zeros(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    results_.reserve(bytes);
    cuda::check(cudaMemsetAsync(results_.data(), 0, bytes, stream_.get()), "clearing memory");
    return reinterpret_cast<T*>(results_.data());
  }
  /// What kernels left there, once they are done.
  template <typename T>
  [[nodiscard]] std::vector<T> fetch(const T* memory, std::size_t count) {
    std::vector<T> fetched(count);
    cuda::check(cudaMemcpyAsync(fetched.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost, stream_.get()),
                "fetching results");
    stream_.synchronize();
    return fetched;
  }
  /// Memory that CTAs use in place of each other's, all zero.
  [[nodiscard]] std::byte* slices(std::size_t bytes) {
    slices_.reserve(bytes);
    cuda::check(cudaMemsetAsync(slices_.data(), 0, bytes, stream_.get()), "clearing memory");
    return slices_.data();
  }

 private:
  std::int64_t sms_;
  cuda::Stream stream_;
  cuda::DeviceBuffer results_;
  cuda::DeviceBuffer slices_;
  std::map<std::int64_t, std::int64_t> resident_;
};

namespace {

ClustersAnswer look(Gpu& gpu, const ClustersRequest& request) {
  constexpr std::uint64_t stay_cycles = 2000;
  ClustersAnswer answer{gpu.resident_clusters(request.size), {}};
  if (answer.resident == 0) return answer;
  const Shape shape = gpu.shape(request.size);
  const std::size_t ctas = std::size_t{shape.cluster} * shape.clusters;
  auto* seen = gpu.zeros<std::uint32_t>(ctas);
  // Room for a cluster does not mean that one of the size may be launched.
  const cudaError_t error = look_around(shape, stay_cycles, seen);
  if (error == cudaErrorInvalidClusterSize) {
    static_cast<void>(cudaGetLastError());
    return answer;
  }
  cuda::check(error, "launching a cluster");
  for (const std::uint32_t one : gpu.fetch(seen, ctas)) answer.seen_size.push_back(one & 0xffffU);
  return answer;
}

LatencyAnswer chase(Gpu& gpu, const LatencyRequest& request) {
  const Shape shape = gpu.shape(request.size);
  const std::size_t ctas = std::size_t{shape.cluster} * shape.clusters;
  const std::size_t pairs = ctas * shape.cluster;
  auto* memory = gpu.zeros<std::uint32_t>(pairs + ctas);
  // What a kernel times is a multiple of 16 loads.
  const auto loads = static_cast<std::uint32_t>((request.loads + 15) / 16 * 16);
  cuda::check(chase_pairs(shape, loads, memory, memory + pairs), "launching a chase");
  const auto fetched = gpu.fetch(memory, pairs + ctas);
  LatencyAnswer answer;
  for (std::size_t i = 0; i < pairs; ++i) answer.cycles.push_back(fetched[i] / static_cast<double>(loads));
  answer.sm.assign(fetched.begin() + static_cast<std::ptrdiff_t>(pairs), fetched.end());
  return answer;
}

HandoverAnswer hand(Gpu& gpu, const HandoverRequest& request) {
  const Shape shape = gpu.shape(2);
  const std::size_t ctas = std::size_t{2} * shape.clusters;
  // Other words in each trial: how long a handover takes depends on where in the L2 they lie.
  constexpr std::int64_t places = 16;
  const std::size_t word_bytes = std::size_t{mailbox_stride} * shape.clusters;
  auto* memory = gpu.zeros<std::byte>(places * word_bytes + ctas * sizeof(CtaTime));
  auto* words =
      reinterpret_cast<std::uint32_t*>(memory + static_cast<std::size_t>(request.trial % places) * word_bytes);
  auto* times = reinterpret_cast<CtaTime*>(memory + places * word_bytes);
  const auto rounds = static_cast<std::uint32_t>(request.rounds);
  cuda::check(hand_over(shape, request.space, rounds, words, times), "launching a handover");
  HandoverAnswer answer;
  for (const CtaTime& time : gpu.fetch(times, ctas)) {
    answer.cycles.push_back(static_cast<double>(time.cycles) / (2.0 * static_cast<double>(request.rounds)));
  }
  return answer;
}

ThroughputAnswer move(Gpu& gpu, const ThroughputRequest& request) {
  const Shape shape = gpu.shape(request.size);
  const std::size_t ctas = std::size_t{shape.cluster} * shape.clusters;
  auto* times = gpu.zeros<CtaTime>(ctas);
  cuda::check(
      stream(shape, request.operation, request.partner, request.space, static_cast<std::uint32_t>(request.width),
             static_cast<std::uint32_t>(request.passes), gpu.slices(ctas * pass_bytes), times),
      "launching accesses");
  ThroughputAnswer answer{pass_bytes, {}, 0};
  std::uint64_t begin = ~std::uint64_t{0};
  std::uint64_t end = 0;
  for (const CtaTime& time : gpu.fetch(times, ctas)) {
    if (time.works == 0) continue;
    answer.cycles.push_back(static_cast<double>(time.cycles));
    begin = std::min(begin, time.begin_ns);
    end = std::max(end, time.end_ns);
  }
  answer.nanoseconds = static_cast<double>(end - begin);
  return answer;
}

}  // namespace

Executor::Executor(const Session& /*session*/, std::string_view target) : gpu_(std::make_unique<Gpu>(target)) {}
Executor::~Executor() = default;

std::vector<Answer> ClustersExecutor::execute(std::span<const Experiment> batch) {
  return answer_each(batch, [this](const Experiment& one) { return encode(look(*gpu_, decode_clusters(one))); });
}
std::vector<Answer> LatencyExecutor::execute(std::span<const Experiment> batch) {
  return answer_each(batch, [this](const Experiment& one) { return encode(chase(*gpu_, decode_latency(one))); });
}
std::vector<Answer> HandoverExecutor::execute(std::span<const Experiment> batch) {
  return answer_each(batch, [this](const Experiment& one) { return encode(hand(*gpu_, decode_handover(one))); });
}
std::vector<Answer> ThroughputExecutor::execute(std::span<const Experiment> batch) {
  return answer_each(batch, [this](const Experiment& one) { return encode(move(*gpu_, decode_throughput(one))); });
}

}  // namespace tomograph::dsmem
