#ifndef TOMOGRAPH_CUDA_NVML_CONDITIONS_HPP
#define TOMOGRAPH_CUDA_NVML_CONDITIONS_HPP

#include <cstdint>
#include <optional>
#include <vector>

#include "cuda/nvml/nvml.hpp"
#include "tomograph/abi/conditions.h"

namespace tomograph::cuda {

/// NVML's reasons for a clock (nvmlClocksThrottleReason... of nvml.h) as those of the host. Unknown bits are left out.
[[nodiscard]] tomograph_throttle_reasons throttle_reasons(std::uint64_t nvml_reasons);

/// The usual difference of two adjacent clocks among those that a GPU can have, NaN for fewer than two.
[[nodiscard]] double clock_step(std::vector<std::int64_t> clocks);

/// Reads the conditions of one GPU.
class Conditions {
 public:
  /// To be called once this process uses the GPU, with the number of processes that used it before. `nvml` must
  /// outlive the object.
  Conditions(const Nvml& nvml, std::optional<std::int64_t> processes_before);

  void read(tomograph_reading& reading) const noexcept;

 private:
  const Nvml* nvml_;
  double clock_step_;
  /// Entries of this process in NVML's list. It may have none: process ids differ between a container and its host, so
  /// only the count tells.
  std::int64_t own_processes_ = 0;
};

}  // namespace tomograph::cuda

#endif
