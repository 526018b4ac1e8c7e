#include "executors.hpp"

#include <algorithm>
#include <map>

#include "kernels.hpp"
#include "tomograph/cuda/device.hpp"
#include "tomograph/cuda/memory.hpp"
#include "tomograph/session/instrument.hpp"

namespace tomograph::tma {

namespace {

/// cuTensorMapEncodeTiled of the driver, which the runtime finds: no library is linked for it.
using EncodeTiled = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                                 const cuuint64_t*, const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave,
                                 CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

EncodeTiled find_encoder() {
  constexpr const char* name = "cuTensorMapEncodeTiled";
  void* function = nullptr;
  cudaDriverEntryPointQueryResult result{};
#if CUDART_VERSION >= 12050
  constexpr unsigned int first_version = 12000;
  const cudaError_t error =
      cudaGetDriverEntryPointByVersion(name, &function, first_version, cudaEnableDefault, &result);
#else
  const cudaError_t error = cudaGetDriverEntryPoint(name, &function, cudaEnableDefault, &result);
#endif
  cuda::check(error, "asking the driver for tensor maps");
  if (result != cudaDriverEntryPointSuccess || function == nullptr) {
    throw Refused(TOMOGRAPH_UNSUPPORTED, "the driver has no tensor maps");
  }
  return reinterpret_cast<EncodeTiled>(function);
}

}  // namespace

/// A GPU with what all executors need of it.
class Gpu {
 public:
  explicit Gpu(std::string_view target)
      : sms_(cuda::attribute(cudaDevAttrMultiProcessorCount, cuda::select(target, 9, 0))), encode_(find_encoder()) {}

  [[nodiscard]] std::int64_t sms() const { return sms_; }
  /// Where the next copies begin that go round `region` bytes, of which they copy `bytes`: after those before, so that
  /// the L2 has nothing of what comes from memory.
  [[nodiscard]] std::int64_t advance(std::int64_t region, std::int64_t bytes) {
    const std::int64_t begin = place_ % region;
    place_ += bytes;
    return begin;
  }
  [[nodiscard]] cudaStream_t stream() const { return stream_.get(); }

  /// At least `bytes` of global memory, which copies of `tile` bytes go round.
  [[nodiscard]] Memory memory(std::int64_t bytes, std::int64_t tile) {
    if (static_cast<std::size_t>(bytes) > memory_.size()) {
      memory_.reserve(static_cast<std::size_t>(bytes));
      cuda::check(cudaMemsetAsync(memory_.data(), 1, memory_.size(), stream_.get()), "filling memory");
    }
    return {memory_.data(), rows_of(tile)};
  }
  template <typename T>
  [[nodiscard]] T* zeros(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    results_.reserve(bytes);
    cuda::check(cudaMemsetAsync(results_.data(), 0, bytes, stream_.get()), "clearing memory");
    return reinterpret_cast<T*>(results_.data());
  }
  template <typename T>
  [[nodiscard]] std::vector<T> fetch(const T* memory, std::size_t count) {
    std::vector<T> fetched(count);
    cuda::check(cudaMemcpyAsync(fetched.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost, stream_.get()),
                "fetching results");
    stream_.synchronize();
    return fetched;
  }

 private:
  /// All of the memory as rows, of which a box has as many as a tile.
  [[nodiscard]] CUtensorMap rows_of(std::int64_t tile) const {
    constexpr cuuint32_t elements = row_bytes / sizeof(std::uint32_t);
    const cuuint64_t sizes[2]{elements, memory_.size() / row_bytes};
    const cuuint64_t strides[1]{row_bytes};
    const cuuint32_t box[2]{elements, std::min(static_cast<cuuint32_t>(tile) / row_bytes, most_rows)};
    const cuuint32_t steps[2]{1, 1};
    CUtensorMap map{};
    const CUresult result = encode_(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, memory_.data(), sizes, strides, box, steps,
                                    CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                    CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result != CUDA_SUCCESS) {
      throw std::runtime_error("the driver refuses a tensor map: error " + std::to_string(static_cast<int>(result)));
    }
    return map;
  }

  std::int64_t sms_;
  std::int64_t place_ = 0;
  EncodeTiled encode_;
  cuda::Stream stream_;
  cuda::DeviceBuffer memory_;
  cuda::DeviceBuffer results_;
};

namespace {

/// SMs that copy at the same time where latency is asked for: few, so that none waits for another.
constexpr std::int64_t latency_ctas = 16;
constexpr std::uint32_t latency_places = 8;

LatencyAnswer look_at(Gpu& gpu, const Copies& copies, const Memory& memory, std::uint32_t rounds) {
  const std::size_t count = std::size_t{copies.ctas} * rounds;
  auto* looks = gpu.zeros<Look>(count);
  cuda::check(look_at_loads(copies, memory, latency_places, rounds, looks), "launching copies");
  LatencyAnswer answer;
  for (const Look& look : gpu.fetch(looks, count)) {
    answer.cycles.push_back(look.cycles);
    answer.done.push_back(look.done);
  }
  return answer;
}

LatencyAnswer wait_for(Gpu& gpu, const Copies& copies, const Memory& memory, std::uint32_t rounds) {
  const std::size_t count = std::size_t{copies.ctas} * rounds;
  auto* cycles = gpu.zeros<std::uint32_t>(count);
  cuda::check(time_copies(copies, memory, latency_places, rounds, cycles), "launching copies");
  const auto fetched = gpu.fetch(cycles, count);
  return {{fetched.begin(), fetched.end()}, std::vector<std::int64_t>(count, 1)};
}

LatencyAnswer time_one(Gpu& gpu, const LatencyRequest& request) {
  const auto ctas = static_cast<std::uint32_t>(std::min(latency_ctas, gpu.sms()));
  const Copies copies{.method = request.method,
                      .direction = request.direction,
                      .tile = static_cast<std::uint32_t>(request.tile),
                      .ctas = ctas,
                      .stream = gpu.stream()};
  const Memory memory = gpu.memory(request.tile * latency_places * ctas, request.tile);
  const auto rounds = static_cast<std::uint32_t>(request.rounds);
  return needs_looks(request.method, request.direction) ? look_at(gpu, copies, memory, rounds)
                                                        : wait_for(gpu, copies, memory, rounds);
}

/// As many as run at once, so that no SM waits for another. @throws Refused if there are none.
std::uint32_t clusters_of(const Copies& copies) {
  int clusters = 0;
  cuda::check(resident(copies, &clusters), "asking for the number of clusters");
  if (clusters > 0) return static_cast<std::uint32_t>(clusters);
  throw Refused(TOMOGRAPH_UNSUPPORTED, "the GPU has no clusters of " + std::to_string(copies.cluster) + " CTAs");
}

ThroughputAnswer stream_all(Gpu& gpu, const ThroughputRequest& request) {
  const std::int64_t per_sm = request.ctas_per_sm;
  const auto tiles =
      std::max<std::int64_t>(request.sm_bytes / per_sm / request.tile / request.stages, 1) * request.stages;
  Copies copies{.method = request.method,
                .direction = request.direction,
                .tile = static_cast<std::uint32_t>(request.tile),
                .stages = static_cast<std::uint32_t>(request.stages),
                .ctas = static_cast<std::uint32_t>(gpu.sms() * per_sm),
                .ctas_per_sm = static_cast<std::uint32_t>(per_sm),
                .cluster = static_cast<std::uint32_t>(request.cluster),
                .multicast = request.multicast,
                .stream = gpu.stream()};
  if (request.cluster > 1) copies.ctas = copies.cluster * clusters_of(copies);
  const std::int64_t ctas = copies.ctas;
  const Memory memory = gpu.memory(request.region, request.tile);
  const std::int64_t first = gpu.advance(request.region, ctas * tiles * request.tile);
  auto* times = gpu.zeros<CtaTime>(static_cast<std::size_t>(ctas));
  cuda::check(stream_copies(copies, memory, static_cast<std::uint32_t>(tiles),
                            static_cast<std::uint32_t>(request.region / request.tile),
                            static_cast<std::uint32_t>(first / request.tile), times),
              "launching copies");
  ThroughputAnswer answer{ctas, tiles * request.tile, 0};
  std::uint64_t begin = ~std::uint64_t{0};
  std::uint64_t end = 0;
  for (const CtaTime& time : gpu.fetch(times, static_cast<std::size_t>(ctas))) {
    begin = std::min(begin, time.begin_ns);
    end = std::max(end, time.end_ns);
  }
  answer.nanoseconds = static_cast<double>(end - begin);
  return answer;
}

}  // namespace

Executor::Executor(const Session& /*session*/, std::string_view target) : gpu_(std::make_unique<Gpu>(target)) {}
Executor::~Executor() = default;

std::vector<Answer> LatencyExecutor::execute(std::span<const Experiment> batch) {
  return answer_each(batch, [this](const Experiment& one) { return encode(time_one(*gpu_, decode_latency(one))); });
}
std::vector<Answer> ThroughputExecutor::execute(std::span<const Experiment> batch) {
  return answer_each(batch,
                     [this](const Experiment& one) { return encode(stream_all(*gpu_, decode_throughput(one))); });
}

}  // namespace tomograph::tma
