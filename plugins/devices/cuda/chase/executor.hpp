#ifndef TOMOGRAPH_CUDA_CHASE_EXECUTOR_HPP
#define TOMOGRAPH_CUDA_CHASE_EXECUTOR_HPP

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cuda/chase/aliased_arrays.hpp"
#include "cuda/chase/constant_banks.hpp"
#include "cuda/chase/flight.hpp"
#include "cuda/chase/schedule.hpp"
#include "cuda/chase/submission.hpp"
#include "cuda/chase/textures.hpp"
#include "cuda/memory/arena.hpp"
#include "tomograph/chase.hpp"
#include "tomograph/cuda/memory.hpp"

namespace tomograph::cuda {

/// A program's result, or why there is none.
struct Outcome {
  chase::Result result;
  std::optional<std::string> failure;
  tomograph_status status = TOMOGRAPH_FAILED;  ///< what a failure is answered with
  std::uint32_t end = 0;                       ///< bits of PartEnd that any part ended with
};

/// Runs chase programs on the current device.
class Executor {
 public:
  /// Reads the limits of `device` and begins to raise its clocks. Arrays lie in `arena`, which outlives this.
  Executor(int device, Arena& arena);

  [[nodiscard]] const Limits& limits() const { return limits_; }
  /// Why programs with aliases cannot run, or nothing.
  [[nodiscard]] const std::optional<std::string>& alias_obstacle() const { return mapper_.obstacle(); }

  /// Lets the GPU pause for so many cycles before the next programs.
  void delay_next(std::int64_t cycles) { delay_ = cycles; }
  /// Runs valid programs that the device can run. The overheads in the results are zero.
  /// @throws DeviceLost.
  [[nodiscard]] std::vector<Outcome> run(std::span<const chase::Program> programs);

 private:
  struct Batch;

  /// Runs the programs numbered `pending`. Returns those whose CTAs were not placed on their SMs.
  std::vector<std::size_t> attempt(Batch& batch, const std::vector<std::size_t>& pending);
  /// Adds programs that found no memory beside others to `pending`, if any of the `tried` ones ran or memory was kept
  /// for later waves, and gives that memory back. Returns whether it did.
  bool let_crowded_out_try_again(Batch& batch, std::size_t tried, std::vector<std::size_t>& pending);
  /// Of aliased arrays and array textures that stay from submission to submission.
  [[nodiscard]] std::int64_t kept_bytes() const;
  [[nodiscard]] bool keeps_enough() const { return kept_bytes() >= limits_.kept_memory; }
  /// Drops them, and linear textures, which may lie over aliased arrays.
  void drop_kept();
  void reserve_arena(Batch& batch, std::vector<WavePlan>& plans);
  [[nodiscard]] std::vector<Place> lay_out(const chase::Program& program, Address& next);
  void add_wave(Batch& batch, const WavePlan& plan, Submission& submission);
  /// Sends a submission, and then collects the one before, whose programs are added to `unplaced` as by attempt().
  void send(Batch& batch, Submission submission, std::vector<std::size_t>& unplaced);
  void finish_all(Batch& batch, std::vector<std::size_t>& unplaced);
  void forget_flights();
  void begin(const Batch& batch, Flight& flight);
  void finish(Batch& batch, Flight& flight, std::vector<std::size_t>& unplaced);
  static std::span<const std::byte> upload(Flight& flight);
  void launch(const Batch& batch, const Flight& flight);
  void fill_constants(const Flight& flight, const WaveEntry& wave);
  void launch_wave(const Flight& flight, std::size_t i, const Shape& shape);
  [[nodiscard]] Wave wave(const Flight& flight, std::size_t launch) const;
  [[nodiscard]] Shape shape_for(const Demand& settings, int attempt) const;
  void collect(Batch& batch, const Flight& flight, std::vector<std::size_t>& unplaced) const;

  Limits limits_;
  std::uint32_t longest_gap_ = 0;
  std::int64_t delay_ = 0;
  Stream stream_;
  Mapper mapper_;
  Arena* arena_;
  Address base_ = 0;  ///< of the arena when the batch began
  std::array<Flight, 2> flights_;
  std::size_t next_flight_ = 0;  ///< not under way
  ScratchNodes scratch_;
  Address constants_ = 0;
  std::optional<ConstantBanks> extra_banks_;  ///< created when a program needs them
  Textures textures_;                         ///< over the arena, among others
};

}  // namespace tomograph::cuda

#endif
