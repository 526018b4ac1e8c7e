#ifndef TOMOGRAPH_CUDA_OCCUPANCY_RUNS_HPP
#define TOMOGRAPH_CUDA_OCCUPANCY_RUNS_HPP

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cuda/occupancy/span.hpp"
#include "tomograph/cuda/memory.hpp"
#include "tomograph/experiment/sm_runs.hpp"

namespace tomograph::cuda {

/// What bounds how many CTAs an SM holds.
struct SmLimits {
  std::int64_t sms = 0;
  std::int64_t warps = 0;
  std::int64_t ctas = 0;
  std::int64_t shared_per_sm = 0;
  std::int64_t shared_per_block = 0;
  std::int64_t shared_reserved = 0;
};

[[nodiscard]] SmLimits sm_limits(int device);

/// How many CTAs of how many warps each SM shall hold.
struct Residency {
  std::int64_t ctas = 1;
  std::int64_t warps = 1;
};

/// Why no SM holds that many, or nothing.
[[nodiscard]] std::optional<std::string> impossibility(const Residency& residency, const SmLimits& limits);

/// Dynamic shared memory per CTA, for a kernel with `fixed` bytes of its own, so that an SM holds `ctas` CTAs and no
/// more: floor(shared memory / ctas) (Lemeire, Cornelis, Segers 2016, Eq. 2), less what the system reserves for each.
[[nodiscard]] std::int64_t shared_for(std::int64_t ctas, std::int64_t fixed, const SmLimits& limits);

/// What `repetitions` of the SMs did, evenly spread over their numbers, at most one entry per SM.
[[nodiscard]] std::vector<SmRun> sm_runs(std::span<const Span> spans, std::int64_t sms, std::int64_t repetitions);

/// A kernel to run on all SMs, several times where there are fewer SMs than repetitions.
struct SmRequest {
  Residency residency;
  std::int64_t repetitions = 1;
  std::int64_t fixed_shared = 0;  ///< bytes of shared memory that the kernel takes besides the dynamic ones
  std::function<cudaError_t(const Launch&)> launch;
};

/// Runs kernels on all SMs of the current device.
class SmRunner {
 public:
  explicit SmRunner(int device) : limits_(sm_limits(device)) {}

  [[nodiscard]] const SmLimits& limits() const { return limits_; }

  /// What the SMs did, one entry per request and therein one per repetition. The requests are not impossible.
  /// @throws DeviceLost, std::runtime_error.
  [[nodiscard]] std::vector<std::vector<SmRun>> run(std::span<const SmRequest> requests);

 private:
  struct Round;

  void execute(std::span<const SmRequest> requests, const Round& round);

  SmLimits limits_;
  Stream stream_;
  DeviceBuffer gates_;
  DeviceBuffer device_spans_;
  PinnedBuffer spans_;
};

}  // namespace tomograph::cuda

#endif
