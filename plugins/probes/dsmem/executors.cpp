#include "executors.hpp"

#include <algorithm>
#include <string>

namespace tomograph::dsmem {

namespace {

std::size_t ctas_of(const Shape& shape) { return std::size_t{shape.cluster} * shape.clusters; }

}  // namespace

ClusterGpu::ClusterGpu(std::string_view target)
    : Gpu(target, 9, 0), shared_bytes_(std::max(more_than_half_of_shared_memory(), pass_bytes)) {
  cuda::expect_built_for(&built_for, 90);
}

std::int64_t ClusterGpu::resident(std::int64_t size) {
  if (size == 1) return sms();
  const auto found = resident_.find(size);
  if (found != resident_.end()) return found->second;
  int count = 0;
  cuda::check(resident_clusters({static_cast<std::uint32_t>(size), 1, shared_bytes_, stream()}, &count),
              "reading the number of resident clusters");
  return resident_[size] = count;
}

Shape ClusterGpu::shape(std::int64_t size) {
  const std::int64_t clusters = resident(size);
  if (clusters == 0) {
    throw Refused(TOMOGRAPH_UNSUPPORTED, "the GPU has no clusters of " + std::to_string(size) + " CTAs");
  }
  return {static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(clusters), shared_bytes_, stream()};
}

std::byte* ClusterGpu::cleared(std::size_t bytes, std::int64_t trial) {
  constexpr std::size_t places = 16;  // about as many as trials
  memory_.reserve(places * bytes);
  std::byte* const part = memory_.data() + static_cast<std::size_t>(trial) % places * bytes;
  cuda::check(cudaMemsetAsync(part, 0, bytes, stream()), "clearing memory");
  return part;
}

Arrays answer_clusters(ClusterGpu& gpu, const Experiment& experiment) {
  // Each CTA stays this long, so that all clusters are resident at the same time. Chosen on an H200.
  constexpr std::uint64_t stay_cycles = 2000;
  const ClustersRequest request = decode_clusters(experiment);
  ClustersAnswer answer{gpu.resident(request.size), {}};
  if (answer.resident == 0) return encode(answer);
  const Shape shape = gpu.shape(request.size);
  auto* seen = gpu.zeros<std::uint32_t>(ctas_of(shape));
  // The driver reports room for sizes that it then refuses to launch.
  const cudaError_t error = report_clusters(shape, stay_cycles, seen);
  if (error == cudaErrorInvalidClusterSize) {
    static_cast<void>(cudaGetLastError());
    return encode(answer);
  }
  cuda::check(error, "launching a cluster");
  for (const std::uint32_t one : gpu.fetch(seen, ctas_of(shape))) answer.seen_size.push_back(one & 0xffffU);
  return encode(answer);
}

Arrays answer_latency(ClusterGpu& gpu, const Experiment& experiment) {
  const LatencyRequest request = decode_latency(experiment);
  const Shape shape = gpu.shape(request.size);
  const std::size_t ctas = ctas_of(shape);
  const std::size_t pairs = ctas * shape.cluster;
  auto* memory = gpu.zeros<std::uint32_t>(pairs + ctas);
  // Kernels time multiples of 16 loads.
  const auto loads = static_cast<std::uint32_t>((request.loads + 15) / 16 * 16);
  cuda::check(chase_pairs(shape, loads, memory, memory + pairs), "launching a chase");
  const auto fetched = gpu.fetch(memory, pairs + ctas);
  LatencyAnswer answer;
  for (std::size_t i = 0; i < pairs; ++i) answer.cycles.push_back(fetched[i] / static_cast<double>(loads));
  answer.sm.assign(fetched.begin() + static_cast<std::ptrdiff_t>(pairs), fetched.end());
  return encode(answer);
}

Arrays answer_handover(ClusterGpu& gpu, const Experiment& experiment) {
  const HandoverRequest request = decode_handover(experiment);
  const Shape shape = gpu.shape(2);
  auto* words =
      reinterpret_cast<std::uint32_t*>(gpu.cleared(std::size_t{mailbox_stride} * shape.clusters, request.trial));
  auto* times = gpu.zeros<CtaTime>(ctas_of(shape));
  const auto rounds = static_cast<std::uint32_t>(request.rounds);
  cuda::check(hand_over(shape, request.space, rounds, words, times), "launching a handover");
  HandoverAnswer answer;
  for (const CtaTime& time : gpu.fetch(times, ctas_of(shape))) {
    answer.cycles.push_back(static_cast<double>(time.cycles) / (2.0 * static_cast<double>(request.rounds)));
  }
  return encode(answer);
}

Arrays answer_throughput(ClusterGpu& gpu, const Experiment& experiment) {
  const ThroughputRequest request = decode_throughput(experiment);
  const Shape shape = gpu.shape(request.size);
  const std::size_t ctas = ctas_of(shape);
  auto* times = gpu.zeros<CtaTime>(ctas);
  cuda::check(
      stream(shape, request.operation, request.partner, request.space, static_cast<std::uint32_t>(request.width),
             static_cast<std::uint32_t>(request.passes), gpu.cleared(ctas * pass_bytes, request.trial), times),
      "launching accesses");
  std::vector<CtaTime> working = gpu.fetch(times, ctas);
  std::erase_if(working, [](const CtaTime& time) { return time.works == 0; });
  ThroughputAnswer answer{pass_bytes, {}, cuda::elapsed_nanoseconds(working)};
  for (const CtaTime& time : working) answer.cycles.push_back(static_cast<double>(time.cycles));
  return encode(answer);
}

}  // namespace tomograph::dsmem
