#ifndef TOMOGRAPH_WORKLOADS_COMPILED_ARITHMETIC_HPP
#define TOMOGRAPH_WORKLOADS_COMPILED_ARITHMETIC_HPP

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <typeindex>
#include <vector>

#include "tomograph/kernel/trace.hpp"

namespace tomograph::workloads {

inline constexpr std::size_t warp_lanes = 32;
using Mask = std::bitset<warp_lanes>;

/// What an instruction computes, as far as compilers treat it in a way of its own.
enum class Computation : std::uint8_t {
  effect,      ///< It does more than to give a result.
  other,       ///< Its result alone counts.
  sum,         ///< first + second
  difference,  ///< first - second
  product,     ///< first * second
  shift,       ///< first >> second
  comparison,
  conjunction,
  address,  ///< of an element: first is the index, `constants[1]` the array
};

/// An instruction as a body writes it. Instruction::needs names positions in the list of all.
struct Written {
  kernel::Instruction instruction;
  Computation computation = Computation::effect;
  std::type_index function = typeid(void);  ///< the same for the same function
  std::array<std::int64_t, 3> constants{};  ///< the operands that are constants
  Mask mask;                                ///< lanes that take part
  bool is_of_loop = false;  ///< A variable takes its result in a loop, where each iteration has another.
};

/// The instructions that a body writes, and the ends of its runs: see Recorder.
struct WrittenWarp {
  std::vector<Written> instructions;
  std::vector<std::size_t> ends;
};

/// Leaves out what compilers leave out (Aho, Lam, Sethi & Ullman 2006, sections 6.1, 8.5, 8.9 and 9.1):
/// - A value that was computed before, in at least the same lanes, is not computed again.
/// - Addresses of an array that differ by a constant are one, since loads and stores add constants. A constant address
///   is none.
/// - A product becomes part of the sum that needs it, and so does a comparison of a conjunction; of integers also a sum
///   or a shift, since GPUs add three integers at once.
/// - What nothing needs is not computed.
void compile_arithmetic(WrittenWarp& warp);

}  // namespace tomograph::workloads

#endif
