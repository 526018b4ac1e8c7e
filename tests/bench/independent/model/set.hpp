#ifndef TOMOGRAPH_BENCH_INDEPENDENT_SET_HPP
#define TOMOGRAPH_BENCH_INDEPENDENT_SET_HPP

#include <array>
#include <bit>
#include <cstdint>
#include <span>

namespace independent {

/// Eight ways of a set with their lines and the state of their replacement. All of it is together, since a large cache
/// is in the host's memory and each of its lines costs time.
struct EightWays {
  alignas(16) std::array<std::int16_t, 8> ranks = {};  ///< how many ways of the set were used later
  std::array<std::uint8_t, 8> fingerprints = {};  ///< a byte of a hash of the line's number, or why there is no line
  std::array<std::uint8_t, 8> marks = {};         ///< reference bit, protection or re-reference interval
  std::array<std::uint64_t, 8> lines = {};        ///< the line's number in memory, and below it a bit per valid sector
};

/// Ranks of eight ways that are computed at once. A comparison that holds is -1.
using Ranks [[gnu::vector_size(16)]] = std::int16_t;

/// The highest bit of each of eight bytes that equals `byte` (Warren 2012, section 6-1).
[[nodiscard]] inline std::uint64_t equal_bytes(const std::array<std::uint8_t, 8>& bytes, std::uint8_t byte) {
  constexpr std::uint64_t low_bits = 0x7f7f7f7f7f7f7f7fU;
  const std::uint64_t differences = std::bit_cast<std::uint64_t>(bytes) ^ (byte * 0x0101010101010101U);
  return ~(((differences & low_bits) + low_bits) | differences | low_bits);
}

/// The number of the byte that the lowest bit belongs to.
[[nodiscard]] inline std::uint32_t first_byte(std::uint64_t bits) {
  return static_cast<std::uint32_t>(std::countr_zero(bits)) / 8;
}

/// A set of a cache. The ways that it lacks are those at its end.
struct Set {
  std::uint32_t number;
  std::uint32_t ways;  ///< in use
  std::span<EightWays> eights;

  [[nodiscard]] std::uint64_t& line(std::uint32_t way) const { return eights[way / 8].lines[way % 8]; }
  [[nodiscard]] std::uint8_t& fingerprint(std::uint32_t way) const { return eights[way / 8].fingerprints[way % 8]; }
  [[nodiscard]] std::uint8_t& mark(std::uint32_t way) const { return eights[way / 8].marks[way % 8]; }
  [[nodiscard]] std::int16_t& rank(std::uint32_t way) const { return eights[way / 8].ranks[way % 8]; }
};

}  // namespace independent

#endif
