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
#include "tomograph/sm_runs.hpp"

namespace tomograph::cuda {

/// The limits of an SM that bound how many CTAs it holds.
struct SmLimits {
  std::int64_t sms = 0;
  std::int64_t warps = 0;
  std::int64_t ctas = 0;
  std::int64_t shared_per_sm = 0;
  std::int64_t shared_per_block = 0;
  std::int64_t shared_reserved = 0;
};

[[nodiscard]] SmLimits sm_limits(int device);

/// CTAs that each SM shall hold at the same time, and warps of each CTA.
struct Residency {
  std::int64_t ctas = 1;
  std::int64_t warps = 1;
};

/// Why no SM can hold so many CTAs or warps, or nothing.
[[nodiscard]] std::optional<std::string> impossibility(const Residency& residency, const SmLimits& limits);

/// Dynamic shared memory per CTA, for a kernel with `fixed` bytes of static shared memory, with which an SM holds
/// `ctas` CTAs and no more: floor(shared memory / ctas) (Lemeire, Cornelis, Segers 2016, Eq. 2), less what the system
/// reserves for each CTA.
[[nodiscard]] std::int64_t shared_for(std::int64_t ctas, std::int64_t fixed, const SmLimits& limits);

/// The runs of `repetitions` SMs, evenly spread over the numbers of the SMs, at most one per SM.
[[nodiscard]] std::vector<SmRun> sm_runs(std::span<const Span> spans, std::int64_t sms, std::int64_t repetitions);

/// A kernel to run on all SMs, several times if there are fewer SMs than repetitions.
struct SmRequest {
  Residency residency;
  std::int64_t repetitions = 1;
  std::int64_t fixed_shared = 0;  ///< bytes of static shared memory of the kernel
  std::function<cudaError_t(const Launch&)> launch;
};

/// Runs kernels on all SMs of the current device.
class SmRunner {
 public:
  explicit SmRunner(int device) : limits_(sm_limits(device)) {}

  [[nodiscard]] const SmLimits& limits() const { return limits_; }

  /// The runs of each request, one per repetition. No request may be impossible. @throws DeviceLost,
  /// std::runtime_error.
  [[nodiscard]] std::vector<std::vector<SmRun>> run(std::span<const SmRequest> requests);

 private:
  struct Submission;

  void execute(std::span<const SmRequest> requests, const Submission& submission);

  SmLimits limits_;
  Stream stream_;
  DeviceBuffer gates_;
  DeviceBuffer device_spans_;
  PinnedBuffer spans_;
};

}  // namespace tomograph::cuda

#endif
