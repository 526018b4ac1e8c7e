#ifndef TOMOGRAPH_CUDA_CHASE_CONSTANT_BANKS_HPP
#define TOMOGRAPH_CUDA_CHASE_CONSTANT_BANKS_HPP

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>

#include "cuda/chase/kernels.hpp"
#include "tomograph/cuda/memory.hpp"

/// Constant memory beyond what one module has. Every module has a bank of its own, which only its kernels read, and
/// a launch empties the constant caches. So the kernels of several modules are resident on an SM at the same time, and
/// take turns.
namespace tomograph::cuda {

/// Writes the scratch node of a bank. @throws DeviceLost, std::runtime_error.
void write_scratch_constant(Address bank);

class ConstantBanks {
 public:
  /// @throws DeviceLost, OutOfMemory, std::runtime_error.
  explicit ConstantBanks(std::uint32_t dynamic_shared);
  ConstantBanks(const ConstantBanks&) = delete;
  ConstantBanks& operator=(const ConstantBanks&) = delete;

  /// Address of the bank number `bank`, from 1.
  [[nodiscard]] Address memory(int bank) const { return at(bank).memory; }
  /// Kernels that are launched from now on wait for what `stream` has been given. @throws std::runtime_error.
  void begin_after(const Stream& stream);
  /// Launches the kernel of a bank, beside those of the others. @throws std::runtime_error.
  void launch(int bank, const Wave& wave, const Shape& shape);
  /// What `stream` is given from now on waits for the kernels. @throws std::runtime_error.
  void end_before(const Stream& stream);

 private:
  class Event {
   public:
    Event();
    ~Event();
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    [[nodiscard]] cudaEvent_t get() const { return event_; }

   private:
    cudaEvent_t event_ = nullptr;
  };
  struct Bank {
    ConstantBank module;
    Address memory = 0;
    Stream stream;
    Event ended;
  };
  [[nodiscard]] const Bank& at(int bank) const { return banks_[static_cast<std::size_t>(bank - 1)]; }

  std::array<Bank, constant_banks - 1> banks_;
  Event begun_;
};

}  // namespace tomograph::cuda

#endif
