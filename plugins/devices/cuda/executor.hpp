#ifndef TOMOGRAPH_PLUGINS_CUDA_EXECUTOR_HPP
#define TOMOGRAPH_PLUGINS_CUDA_EXECUTOR_HPP

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "memory.hpp"
#include "round.hpp"
#include "schedule.hpp"
#include "tomograph/chase.hpp"
#include "tomograph/cuda/memory.hpp"

namespace tomograph::cuda {

/// A program's result, or why there is none.
struct Outcome {
  chase::Result result;
  std::optional<std::string> failure;
};

/// Runs chase programs on the current device.
class Executor {
 public:
  /// Learns the limits of `device` and begins to raise its clocks.
  explicit Executor(int device);

  [[nodiscard]] const Limits& limits() const { return limits_; }
  /// Why programs with aliases cannot run, or nothing.
  [[nodiscard]] const std::optional<std::string>& alias_obstacle() const { return mapper_.obstacle(); }

  /// Runs programs that are valid and not impossible. The overheads in the results are left at zero.
  /// @throws DeviceLost.
  [[nodiscard]] std::vector<Outcome> run(std::span<const chase::Program> programs) { return run(programs, false); }

  struct Overhead {
    double each = 0;
    double total = 0;
  };
  /// What the timing of each load path costs, in cycles: the timed loops are run without their loads.
  [[nodiscard]] std::array<Overhead, 3> measure_overheads();

 private:
  struct Batch;

  std::vector<Outcome> run(std::span<const chase::Program> programs, bool withhold);
  /// Runs the programs numbered `pending`; returns those for which no CTA was placed on the SM they were to run on.
  std::vector<std::size_t> attempt(Batch& batch, const std::vector<std::size_t>& pending);
  void reserve_arena(Batch& batch, std::vector<WavePlan>& plans);
  void add_wave(Batch& batch, const WavePlan& plan, Round& round);
  void run_round(Batch& batch, Round& round, std::vector<std::size_t>& missed);
  std::span<const std::byte> upload(const Round& round);
  void launch(const Batch& batch, const Round& round);
  void harvest(Batch& batch, const Round& round, std::vector<std::size_t>& missed);

  Limits limits_;
  Stream stream_;
  Mapper mapper_;
  Arena arena_;
  PinnedBuffer sent_;
  PinnedBuffer received_;
  DeviceBuffer device_sent_;
  DeviceBuffer device_state_;
  DeviceBuffer device_output_;
};

}  // namespace tomograph::cuda

#endif
