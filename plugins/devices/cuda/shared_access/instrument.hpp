#ifndef TOMOGRAPH_PLUGINS_CUDA_SHARED_ACCESS_INSTRUMENT_HPP
#define TOMOGRAPH_PLUGINS_CUDA_SHARED_ACCESS_INSTRUMENT_HPP

#include <cstdint>
#include <set>
#include <vector>

#include "cuda/shared_access/kernels.hpp"
#include "tomograph/cuda/memory.hpp"
#include "tomograph/instrument.hpp"
#include "tomograph/shared_access.hpp"

namespace tomograph::cuda {

/// Answers tomograph.shared_access/1. Each experiment is one launch on all SMs.
class SharedAccess : public Instrument {
 public:
  explicit SharedAccess(int device);

  [[nodiscard]] std::string_view id() const override { return TOMOGRAPH_SHARED_ACCESS_ID; }
  [[nodiscard]] std::vector<Answer> execute(std::span<const Experiment> batch) override;

 private:
  /// A program that the device can run, with its place in the batch.
  struct Launch {
    shared_access::Program program;
    const void* kernel = nullptr;
    std::size_t shared_bytes = 0;  ///< per CTA, so that an SM holds exactly the requested number of CTAs
    std::size_t position = 0;
  };

  /// @throws std::invalid_argument, Refused.
  [[nodiscard]] Launch prepare(const Experiment& experiment, std::size_t position);
  void allow_all_shared_memory(const void* kernel);
  [[nodiscard]] static int resident_ctas(const void* kernel, std::int64_t warps, std::size_t shared_bytes);
  /// Runs those of `launches` that have no answer yet.
  void run(std::span<const Launch> launches, std::vector<Answer>& answers);
  void start(const Launch& launch, std::size_t number);
  /// The answer that the reports of the SMs give; FAILED if no SM ran the whole program.
  [[nodiscard]] Answer answer(const Launch& launch, const SmReport* reports) const;

  std::int64_t sms_;
  std::int64_t shared_per_sm_;
  std::int64_t shared_per_block_;
  std::int64_t shared_reserved_;
  std::set<const void*> prepared_;
  Stream stream_;
  DeviceBuffer reports_;
  PinnedBuffer downloaded_;
};

}  // namespace tomograph::cuda

#endif
