#ifndef TOMOGRAPH_ATOMICS_OPERATIONS_HPP
#define TOMOGRAPH_ATOMICS_OPERATIONS_HPP

#include <array>
#include <cstdint>

/// The atomics that are measured. For C++ and for nvcc, which compiles C++17. The values of enumerators are those of
/// the experiments' parameters.
namespace tomograph::atomics {

enum class Space : std::int64_t { global, shared };
enum class Type { u32, u64, f32, f64, f16x2 };

/// `atom` returns what was in memory. `red`, which only some operations have, returns nothing.
struct Operation {
  const char* name;
  Type type;
  bool has_reduction;

  /// Bytes of a word.
  [[nodiscard]] constexpr std::int64_t bytes() const { return type == Type::u64 || type == Type::f64 ? 8 : 4; }
};

/// All operations. Their order is part of the experiments' format: append only.
inline constexpr std::array<Operation, 11> operations{{{"add_u32", Type::u32, true},
                                                       {"add_u64", Type::u64, true},
                                                       {"max_u32", Type::u32, true},
                                                       {"max_u64", Type::u64, true},
                                                       {"exch_u32", Type::u32, false},
                                                       {"exch_u64", Type::u64, false},
                                                       {"cas_u32", Type::u32, false},
                                                       {"cas_u64", Type::u64, false},
                                                       {"add_f32", Type::f32, true},
                                                       {"add_f64", Type::f64, true},
                                                       {"add_f16x2", Type::f16x2, true}}};

/// Whether PTX for GPUs of this compute capability, times 10, has the operation.
[[nodiscard]] constexpr bool has_operation(const Operation& operation, int capability) {
  return capability >= 60 || (operation.type != Type::f64 && operation.type != Type::f16x2);
}

/// Whether ptxas builds the operation from others, in a loop that compares and swaps until it succeeds. Seen in what
/// ptxas 13.0 makes for compute capabilities 7.5, 8.0, 9.0 and 12.0.
[[nodiscard]] constexpr bool is_loop(Space space, const Operation& operation) {
  const bool adds_wide = operation.has_reduction && operation.type == Type::u64;
  return space == Space::shared &&
         (adds_wide || operation.type == Type::f32 || operation.type == Type::f64 || operation.type == Type::f16x2);
}

/// Where the words of a warp lie: in memory of its own, next to each other or each in a line of its own; or in one line
/// that all warps of all SMs use.
enum class Place : std::int64_t { own, own_lines, one_line };

/// Of every GPU so far.
inline constexpr std::int64_t warp_lanes = 32;
inline constexpr std::int64_t line_bytes = 128;
inline constexpr std::int64_t most_warps = 32;

/// Atomics of a thread in a lap of the loop that measures latency, each on another line.
inline constexpr std::int64_t chain_of_lap = 32;
/// Atomics of a thread in a lap of the loop that measures throughput.
inline constexpr std::int64_t atomics_of_lap = 16;
/// Atomics of a thread whose results are awaited together: more of the far memory, but so few that loops of
/// compare-and-swap find registers.
[[nodiscard]] constexpr std::int64_t in_flight(Space space) { return space == Space::global ? 16 : 8; }
/// Words that a thread uses in turn: so few that all of a GPU fit in its L2, or all of a CTA in 16 KiB of shared
/// memory.
[[nodiscard]] constexpr std::int64_t words_of_thread(Space space) { return space == Space::global ? 8 : 2; }

/// The longer of two runs, in laps of the shorter one.
inline constexpr std::int64_t longer = 3;

}  // namespace tomograph::atomics

#endif
