#ifndef TOMOGRAPH_CUDA_L2_LINES_INSTRUMENT_HPP
#define TOMOGRAPH_CUDA_L2_LINES_INSTRUMENT_HPP

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cuda/chase/kernels.hpp"
#include "cuda/l2_lines/device_array.hpp"
#include "cuda/l2_lines/kernels.hpp"
#include "cuda/memory/arena.hpp"
#include "tomograph/cuda/memory.hpp"
#include "tomograph/instrument.hpp"
#include "tomograph/l2_lines.hpp"

namespace tomograph::cuda {

/// The memory whose lines the experiments load, and the launches over it.
class LineMemory {
 public:
  /// The pages lie in `arena`, which outlives this.
  LineMemory(int device, Arena& arena);

  /// Provides the pages, full of zeros at first. They keep their place until more are asked for. @throws OutOfMemory.
  void provide(const l2_lines::Memory& memory);
  [[nodiscard]] Address base() const { return reinterpret_cast<Address>(arena_->data()); }

  /// The SMs that are named, all if none is. @throws std::invalid_argument if the device lacks one.
  [[nodiscard]] std::vector<std::int64_t> named(const std::vector<std::int64_t>& sms) const;
  /// By number of the SM: its rank among `sms`, or -1.
  [[nodiscard]] std::vector<std::int32_t> ranks(const std::vector<std::int64_t>& sms) const;

  /// Whether the GPU has discard.global.L2.
  [[nodiscard]] bool can_discard() const { return can_discard_; }
  [[nodiscard]] std::uint32_t sm_count() const { return sm_count_; }
  /// Shared memory of a CTA that is alone on its SM, besides `fixed` bytes.
  [[nodiscard]] std::uint32_t all_shared(std::uint32_t fixed) const { return shared_per_block_ - fixed; }
  [[nodiscard]] cudaStream_t stream() const { return stream_.get(); }

 private:
  std::uint32_t sm_count_;
  std::uint32_t shared_per_block_;
  bool can_discard_;
  Stream stream_;
  Arena* arena_;
  std::int64_t pages_ = 0;
};

/// Answers tomograph.l2_latency/1.
class L2Latency : public Instrument {
 public:
  /// `memory` outlives this. `overhead` is what timing adds to a load past the L1 cache, in cycles.
  L2Latency(LineMemory& memory, double overhead) : memory_(&memory), overhead_(overhead) {}

  [[nodiscard]] std::string_view id() const override { return TOMOGRAPH_L2_LATENCY_ID; }
  [[nodiscard]] std::vector<Answer> execute(std::span<const Experiment> batch) override;

 private:
  [[nodiscard]] l2_lines::LatencyResult run(const l2_lines::Latencies& program);
  [[nodiscard]] l2_lines::LatencyResult result_of(std::span<const std::uint32_t> halves, std::size_t sms) const;

  LineMemory* memory_;
  double overhead_;
  DeviceArray<std::uint32_t> lines_;
  DeviceArray<std::int32_t> ranks_;
  DeviceArray<std::uint32_t> claimed_;
  DeviceArray<std::uint32_t> halves_;
  DeviceArray<std::uint64_t> cycles_;
};

/// Answers tomograph.l2_contention/1.
class L2Contention : public Instrument {
 public:
  /// `memory` outlives this.
  explicit L2Contention(LineMemory& memory) : memory_(&memory) {}

  [[nodiscard]] std::string_view id() const override { return TOMOGRAPH_L2_CONTENTION_ID; }
  [[nodiscard]] std::vector<Answer> execute(std::span<const Experiment> batch) override;

 private:
  [[nodiscard]] l2_lines::ContentionResult run(const l2_lines::Contention& program);

  LineMemory* memory_;
  DeviceArray<std::uint32_t> lines_;
  DeviceArray<std::int32_t> ranks_;
  DeviceArray<SetTimes> times_;
};

}  // namespace tomograph::cuda

#endif
