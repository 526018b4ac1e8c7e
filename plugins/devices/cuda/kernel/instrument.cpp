#include "cuda/kernel/instrument.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>

#include "cuda/carveout.hpp"
#include "cuda/kernel/kernels.hpp"
#include "cuda/kernel/ptx.hpp"
#include "cuda/sm_times.hpp"
#include "cuda/streaming/kernels.hpp"
#include "tomograph/cuda/device.hpp"

namespace tomograph::cuda {

namespace {

using kernel::Operation;

/// Generated code compares what it has computed with this number, so that the compiler keeps all of it.
constexpr std::uint32_t unlikely_result = 0x9e3779b9;
/// Of multiplications: odd, so that no result dies out.
constexpr std::uint32_t factor = 0x3f9d70a5;

std::int64_t compute_capability(int device) {
  return 10 * attribute(cudaDevAttrComputeCapabilityMajor, device) +
         attribute(cudaDevAttrComputeCapabilityMinor, device);
}

bool writes(const kernel::Step& step) {
  return step.operation == Operation::store || step.operation == Operation::atomic;
}

bool uses_shared_memory(const kernel::Step& step) {
  return step.operation == Operation::shared_load || step.operation == Operation::shared_store;
}

kernel::Result result_of(const kernel::Kernel& kernel, std::span<const KernelTimes> times) {
  kernel::Result result{.instructions = kernel::instructions(kernel)};
  set_times(result, times);
  std::uint64_t latency = 0;
  for (const KernelTimes& one : times) latency += one.latency;
  const auto loads = static_cast<double>(kernel.warps * kernel.ctas * kernel.iterations);
  if (kernel.timed >= 0) result.latency = static_cast<double>(latency) / loads;
  return result;
}

}  // namespace

/// Offsets in bytes.
struct Kernels::State {
  State(std::size_t sms, std::size_t all_sms)
      : times(sizeof(KernelRendezvous)),
        occupied(times + sms * sizeof(KernelTimes)),
        ranks(occupied + all_sms * sizeof(std::uint64_t)),
        sink(ranks + all_sms * sizeof(std::int32_t)),
        size(sink + sizeof(std::uint64_t)) {}

  std::size_t times;
  std::size_t occupied;
  std::size_t ranks;
  std::size_t sink;
  std::size_t size;
};

Kernels::Kernels(int device, Arena& arena, NeighbourMonitor& monitor)
    : monitor_(&monitor),
      sm_count_(attribute(cudaDevAttrMultiProcessorCount, device)),
      shared_per_sm_(attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, device)),
      compute_capability_(compute_capability(device)),
      arena_(&arena),
      l2_bytes_(static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize, device))) {}

kernel::Kernel Kernels::accept(kernel::Kernel kernel) const {
  if (const auto broken = violation(kernel)) throw std::invalid_argument(to_string(*broken));
  if (kernel.sms.empty()) {
    kernel.sms.resize(static_cast<std::size_t>(sm_count_));
    std::iota(kernel.sms.begin(), kernel.sms.end(), std::int64_t{0});
  }
  if (std::ranges::any_of(kernel.sms, [this](std::int64_t sm) { return sm >= sm_count_; })) {
    throw std::invalid_argument("the kernel names an SM that the device does not have");
  }
  return kernel;
}

void Kernels::provide(const kernel::Kernel& kernel) {
  const auto bytes = static_cast<std::size_t>(kernel.footprint);
  if (!arena_->reserve(bytes, this)) filled_ = 0;
  if (filled_ < bytes || is_written_) {
    filled_ = std::max(filled_, bytes);
    auto* words = reinterpret_cast<std::uint32_t*>(arena_->data());
    check(launch_fill(words, filled_ / sizeof(std::uint32_t), stream_.get()), "filling memory");
  }
  is_written_ = std::ranges::any_of(kernel.loop, writes);
}

/// A kernel must not find what the one before has loaded, or the same one, of which each partition of L2 keeps copies.
/// Lines that were read cost nothing to replace, as lines that were written would.
void Kernels::empty_l2(std::uint32_t* sink) {
  const std::size_t bytes = 2 * l2_bytes_;
  evicting_.reserve(bytes);
  check(launch_read(reinterpret_cast<const std::uint32_t*>(evicting_.data()), bytes, sink, stream_.get()),
        "emptying the L2");
}

std::vector<std::uint32_t> Kernels::memory() const {
  std::vector<std::uint32_t> words(filled_ / sizeof(std::uint32_t));
  check(cudaMemcpy(words.data(), arena_->data(), words.size() * sizeof(std::uint32_t), cudaMemcpyDeviceToHost),
        "reading the footprint");
  return words;
}

KernelShape Kernels::shape_of(const kernel::Kernel& kernel, CUfunction function) const {
  const std::int64_t threads = kernel.warps * kernel::warp_lanes;
  const bool has_data = std::ranges::any_of(kernel.loop, uses_shared_memory);
  const std::int64_t words = kernel_shared_words + (has_data ? threads : 0);
  KernelShape shape{.threads = static_cast<unsigned int>(threads),
                    .shared = static_cast<unsigned int>(words * static_cast<std::int64_t>(sizeof(std::uint32_t))),
                    .carveout_percent = carveout_percent(kernel.carveout, shared_per_sm_)};
  const int resident = modules_->prepare(function, shape);
  if (resident < kernel.ctas_per_sm) {
    throw Refused(TOMOGRAPH_UNSUPPORTED, "an SM holds " + std::to_string(resident) + " CTAs of the kernel");
  }
  // A grid that fills all SMs gives each of them enough CTAs. A carve-out may leave room for fewer than the driver
  // says.
  const std::int64_t ctas = kernel.carveout < 0 ? resident : kernel.ctas_per_sm;
  shape.grid = static_cast<unsigned int>(ctas * sm_count_);
  return shape;
}

void Kernels::launch(const kernel::Kernel& kernel, CUfunction function, const KernelShape& shape, const State& state) {
  std::byte* const words = state_.data();
  auto accesses = accesses_of(kernel, static_cast<std::int64_t>(kernel.sms.size()),
                              reinterpret_cast<std::uint64_t>(arena_->data()));
  KernelTask task{.ranks = reinterpret_cast<const std::int32_t*>(words + state.ranks),
                  .rendezvous = reinterpret_cast<std::uint32_t*>(words),
                  .occupied = reinterpret_cast<std::uint64_t*>(words + state.occupied),
                  .times = reinterpret_cast<KernelTimes*>(words + state.times),
                  .sink = reinterpret_cast<std::uint32_t*>(words + state.sink),
                  .unlikely = unlikely_result,
                  .zero = 0,
                  .factor = factor,
                  .sm_limit = static_cast<std::uint32_t>(sm_count_),
                  .sms = static_cast<std::uint32_t>(kernel.sms.size()),
                  .ctas_per_sm = static_cast<std::uint32_t>(kernel.ctas_per_sm),
                  .ctas = static_cast<std::uint32_t>(kernel.ctas),
                  .iterations = static_cast<std::uint32_t>(kernel.iterations)};
  std::vector<void*> parameters{&task.ranks,       &task.rendezvous, &task.occupied,   &task.times,    &task.sink,
                                &task.unlikely,    &task.zero,       &task.factor,     &task.sm_limit, &task.sms,
                                &task.ctas_per_sm, &task.ctas,       &task.iterations, accesses.data()};
  modules_->launch(function, shape, parameters, stream_.get());
}

Arrays Kernels::answer(const Experiment& experiment, bool& placed) {
  const kernel::Kernel kernel = accept(kernel::decode(experiment));
  if (!modules_) modules_ = std::make_unique<Modules>();
  CUfunction function = modules_->function(ptx_of(kernel, compute_capability_), kernel_entry);
  const KernelShape shape = shape_of(kernel, function);
  provide(kernel);
  const State state(kernel.sms.size(), static_cast<std::size_t>(sm_count_));
  state_.reserve(state.size);
  mirror_.reserve(state.size);
  std::memset(mirror_.data(), 0, state.size);
  std::vector<std::int32_t> ranks(static_cast<std::size_t>(sm_count_), -1);
  for (std::size_t rank = 0; rank < kernel.sms.size(); ++rank) {
    ranks[static_cast<std::size_t>(kernel.sms[rank])] = static_cast<std::int32_t>(rank);
  }
  std::memcpy(mirror_.data() + state.ranks, ranks.data(), ranks.size() * sizeof(std::int32_t));
  check(cudaMemcpyAsync(state_.data(), mirror_.data(), state.size, cudaMemcpyHostToDevice, stream_.get()),
        "sending a kernel");
  auto* sink = reinterpret_cast<std::uint32_t*>(state_.data() + state.sink);
  empty_l2(sink);
  for (std::int64_t i = 0; i < kernel.warm_passes; ++i) {
    check(launch_read(reinterpret_cast<const std::uint32_t*>(arena_->data()),
                      static_cast<std::uint64_t>(kernel.footprint), sink, stream_.get()),
          "warming up");
  }
  launch(kernel, function, shape, state);
  check(cudaMemcpyAsync(mirror_.data(), state_.data(), state.size, cudaMemcpyDeviceToHost, stream_.get()),
        "fetching results");
  stream_.synchronize();
  const std::span times(reinterpret_cast<const KernelTimes*>(mirror_.data() + state.times), kernel.sms.size());
  const auto all = static_cast<std::uint64_t>(kernel.ctas_per_sm);
  placed = std::ranges::all_of(times, [all](const KernelTimes& one) { return one.finished == all; });
  if (!placed) {
    monitor_->suspect();
    throw std::runtime_error("not all CTAs were resident at the same time; other processes may use the device");
  }
  return kernel::encode(result_of(kernel, times));
}

std::vector<Answer> Kernels::execute(std::span<const Experiment> batch) {
  std::vector<Answer> answers;
  for (const Experiment& one : batch) {
    bool placed = true;
    const auto answer_it = [&](const Experiment& experiment) { return answer(experiment, placed); };
    answers.push_back(std::move(answer_each({&one, 1}, answer_it).front()));
    if (!placed) answers.back().disturbance = TOMOGRAPH_TIMES_DISTURBED;
  }
  return answers;
}

}  // namespace tomograph::cuda
