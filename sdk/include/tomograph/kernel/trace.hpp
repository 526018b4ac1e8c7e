/// What the warps of a kernel do, instruction by instruction: the input of the reference simulator and of the models.
#ifndef TOMOGRAPH_KERNEL_TRACE_HPP
#define TOMOGRAPH_KERNEL_TRACE_HPP

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tomograph/kernel.hpp"

namespace tomograph::kernel {

/// Bytes of a sector, the unit in which traces name memory.
inline constexpr std::uint32_t sector_bytes = 32;

/// One instruction of a warp.
struct Instruction {
  static constexpr std::int32_t no_need = -1;

  Operation operation = Operation::integer;
  /// Lanes that take part, 1 to 32.
  std::uint8_t lanes = 32;
  /// Whether a load goes past the L1 cache, which neither serves nor keeps it. Stores and atomics always write to L2.
  bool past_l1 = false;
  /// Positions, in the warp's list, of earlier instructions whose results it needs; `no_need` where there are fewer.
  std::array<std::int32_t, 3> needs = {no_need, no_need, no_need};
  /// Its distinct sectors of global memory, in the order of the lanes: `Warp::sectors[first_sector, + sector_count)`.
  std::uint32_t first_sector = 0;
  std::uint32_t sector_count = 0;
  /// Of an atomic: whether an instruction needs its result. If none does, nothing comes back: it is a reduction.
  bool returns = true;
  /// Of a store: whether it writes all bytes of its sectors. Memory must bring the rest of others.
  bool fills_sectors = true;
  /// Of a load: the most distinct 4-byte words that its lanes read from one of `memory_banks` banks. Word w is in bank
  /// w mod `memory_banks`. The L1 serves one word of a bank per cycle.
  std::uint8_t bank_words = 1;
};

/// Whether data come back from global memory.
[[nodiscard]] constexpr bool reads_memory(const Instruction& instruction) {
  return instruction.operation == Operation::load ||
         (instruction.operation == Operation::atomic && instruction.returns);
}

/// Banks of the memory that holds L1 and shared memory: those of shared memory (CUDA C++ programming guide, section
/// "Shared Memory", of all compute capabilities).
inline constexpr std::uint32_t memory_banks = 32;

/// `Instruction::bank_words` of lanes that read `element` bytes each, from the addresses of those that take part.
[[nodiscard]] std::uint8_t bank_words(std::span<const std::uint64_t> addresses, std::uint32_t element);

/// The instructions of one warp in program order.
struct Warp {
  std::vector<Instruction> instructions;
  /// Addresses divided by `sector_bytes`.
  std::vector<std::uint64_t> sectors;
};

/// The shape in which a kernel is launched.
struct Launch {
  std::string name;
  std::uint32_t ctas = 1;
  std::uint32_t warps_per_cta = 1;
  /// CTAs that an SM holds at the same time, as far as the kernel's registers and shared memory allow.
  std::uint32_t ctas_per_sm = 1;
  /// Bytes of global memory that the kernel uses.
  std::uint64_t footprint = 0;
  /// Iterations of the loop that a warp's instructions are; 1: none is known.
  std::uint32_t iterations = 1;
};

/// A kernel whose warps can be asked for one by one, so that a whole grid never lies in memory at once.
class Trace {
 public:
  virtual ~Trace() = default;

  [[nodiscard]] virtual const Launch& launch() const = 0;
  /// The instructions of warp `warp` (0 to warps_per_cta - 1) of CTA `cta` (0 to ctas - 1). Equal calls give equal
  /// answers. May be called from several threads at once.
  [[nodiscard]] virtual Warp warp(std::uint32_t cta, std::uint32_t warp) const = 0;
};

}  // namespace tomograph::kernel

#endif
