#ifndef TOMOGRAPH_CUDA_CHASE_CONSTANT_BANKS_HPP
#define TOMOGRAPH_CUDA_CHASE_CONSTANT_BANKS_HPP

#include <cuda_runtime_api.h>

#include <array>
#include <cstdint>

#include "cuda/chase/kernels.hpp"
#include "tomograph/cuda/memory.hpp"

/// Constant memory beyond that of one module. Each module has its own bank, which only its kernels read, and a launch
/// invalidates the constant caches. Therefore the kernels of several modules are resident on an SM at the same time and
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
  /// Launches the kernel of a bank, concurrently with those of the others. @throws std::runtime_error.
  void launch(int bank, const Wave& wave, const Shape& shape);
  /// Waits for all launched kernels. @throws DeviceLost.
  void wait() const;

 private:
  struct Bank {
    ConstantBank module;
    Address memory = 0;
    Stream stream;
  };
  [[nodiscard]] const Bank& at(int bank) const { return banks_[static_cast<std::size_t>(bank - 1)]; }

  std::array<Bank, constant_banks - 1> banks_;
};

}  // namespace tomograph::cuda

#endif
