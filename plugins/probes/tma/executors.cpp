#include "executors.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "tomograph/cuda/driver.hpp"

namespace tomograph::tma {

namespace {

/// SMs that copy at the same time when latencies are measured: few, so that their copies do not delay each other.
/// Chosen on an H200.
constexpr std::int64_t latency_ctas = 16;
/// Tiles that each of these SMs copies in turn.
constexpr std::uint32_t latency_places = 8;

EncodeTiled find_encoder() {
  if (const auto encode = cuda::driver_function<EncodeTiled>("cuTensorMapEncodeTiled")) return encode;
  throw Refused(TOMOGRAPH_UNSUPPORTED, "the driver has no tensor maps");
}

/// The number of clusters that run at the same time. @throws Refused if there are none.
std::uint32_t clusters_of(const Copies& copies) {
  int clusters = 0;
  cuda::check(resident_clusters(copies, &clusters), "reading the number of resident clusters");
  if (clusters > 0) return static_cast<std::uint32_t>(clusters);
  throw Refused(TOMOGRAPH_UNSUPPORTED, "the GPU has no clusters of " + std::to_string(copies.cluster) + " CTAs");
}

LatencyAnswer polled(TmaGpu& gpu, const Copies& copies, const Memory& memory, std::uint32_t rounds) {
  const std::size_t count = std::size_t{copies.ctas} * rounds;
  auto* polls = gpu.zeros<Poll>(count);
  cuda::check(poll_loads(copies, memory, latency_places, rounds, polls), "launching copies");
  LatencyAnswer answer;
  for (const Poll& poll : gpu.fetch(polls, count)) {
    answer.cycles.push_back(poll.cycles);
    answer.done.push_back(poll.done);
  }
  return answer;
}

LatencyAnswer timed(TmaGpu& gpu, const Copies& copies, const Memory& memory, std::uint32_t rounds) {
  const std::size_t count = std::size_t{copies.ctas} * rounds;
  auto* cycles = gpu.zeros<std::uint32_t>(count);
  cuda::check(time_copies(copies, memory, latency_places, rounds, cycles), "launching copies");
  const auto fetched = gpu.fetch(cycles, count);
  return {{fetched.begin(), fetched.end()}, std::vector<std::int64_t>(count, 1)};
}

/// The copies of a request, in a grid that fills the GPU.
Copies copies_of(const TmaGpu& gpu, const ThroughputRequest& request) {
  Copies copies{.method = request.method,
                .direction = request.direction,
                .tile = static_cast<std::uint32_t>(request.tile),
                .stages = static_cast<std::uint32_t>(request.stages),
                .ctas = static_cast<std::uint32_t>(gpu.sms() * request.ctas_per_sm),
                .ctas_per_sm = static_cast<std::uint32_t>(request.ctas_per_sm),
                .cluster = static_cast<std::uint32_t>(request.cluster),
                .multicast = request.multicast,
                .stream = gpu.stream()};
  if (request.cluster > 1) copies.ctas = copies.cluster * clusters_of(copies);
  return copies;
}

}  // namespace

TmaGpu::TmaGpu(std::string_view target) : Gpu(target, 9, 0), encode_(find_encoder()) {
  cuda::expect_built_for(&built_for, 90);
}

Memory TmaGpu::memory(std::int64_t bytes, std::int64_t tile) {
  if (static_cast<std::size_t>(bytes) > memory_.size()) {
    memory_.reserve(static_cast<std::size_t>(bytes));
    cuda::check(cudaMemsetAsync(memory_.data(), 1, memory_.size(), stream()), "filling memory");
  }
  return {memory_.data(), rows_of(tile)};
}

std::int64_t TmaGpu::advance(std::int64_t region, std::int64_t bytes) {
  const std::int64_t begin = place_ % region;
  place_ += bytes;
  return begin;
}

void TmaGpu::fill_l2_with_stores(std::int64_t region, std::int64_t first) {
  const std::int64_t bytes = std::min(region, 2 * cuda::attribute(cudaDevAttrL2CacheSize, device()));
  const std::int64_t begin = (first >= bytes ? first : region) - bytes;
  cuda::check(cudaMemsetAsync(memory_.data() + begin, 1, static_cast<std::size_t>(bytes), stream()), "filling the L2");
}

/// The tensor map of all memory as rows, with boxes of as many rows as a tile.
CUtensorMap TmaGpu::rows_of(std::int64_t tile) const {
  constexpr cuuint32_t elements = row_bytes / sizeof(std::uint32_t);
  const std::array<cuuint64_t, 2> sizes{elements, memory_.size() / row_bytes};
  const std::array<cuuint64_t, 1> strides{row_bytes};
  const std::array<cuuint32_t, 2> box{elements, std::min(static_cast<cuuint32_t>(tile) / row_bytes, most_rows)};
  const std::array<cuuint32_t, 2> steps{1, 1};
  CUtensorMap map{};
  const CUresult result = encode_(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, memory_.data(), sizes.data(), strides.data(),
                                  box.data(), steps.data(), CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  cuda::check_driver(result, "describing a matrix for TMA");
  return map;
}

Arrays answer_latency(TmaGpu& gpu, const Experiment& experiment) {
  const LatencyRequest request = decode_latency(experiment);
  const auto ctas = static_cast<std::uint32_t>(std::min(latency_ctas, gpu.sms()));
  const Copies copies{.method = request.method,
                      .direction = request.direction,
                      .tile = static_cast<std::uint32_t>(request.tile),
                      .ctas = ctas,
                      .stream = gpu.stream()};
  const Memory memory = gpu.memory(request.tile * latency_places * ctas, request.tile);
  const auto rounds = static_cast<std::uint32_t>(request.rounds);
  return encode(needs_polling(request.method, request.direction) ? polled(gpu, copies, memory, rounds)
                                                                 : timed(gpu, copies, memory, rounds));
}

Arrays answer_throughput(TmaGpu& gpu, const Experiment& experiment) {
  const ThroughputRequest request = decode_throughput(experiment);
  const std::int64_t laps = request.sm_bytes / request.ctas_per_sm / request.tile / request.stages;
  const std::int64_t tiles = std::max<std::int64_t>(laps, 1) * request.stages;
  const Copies copies = copies_of(gpu, request);
  const std::int64_t ctas = copies.ctas;
  const Memory memory = gpu.memory(request.region, request.tile);
  const std::int64_t first = gpu.advance(request.region, ctas * tiles * request.tile);
  if (request.direction == Direction::store) gpu.fill_l2_with_stores(request.region, first);
  auto* times = gpu.zeros<CtaTime>(static_cast<std::size_t>(ctas));
  const auto stream = request.cluster > 1 ? stream_clusters : stream_copies;
  cuda::check(stream(copies, memory, static_cast<std::uint32_t>(tiles),
                     static_cast<std::uint32_t>(request.region / request.tile),
                     static_cast<std::uint32_t>(first / request.tile), times),
              "launching copies");
  return encode(ThroughputAnswer{ctas, tiles * request.tile,
                                 cuda::elapsed_nanoseconds(gpu.fetch(times, static_cast<std::size_t>(ctas)))});
}

}  // namespace tomograph::tma
