#ifndef TOMOGRAPH_BENCH_INDEPENDENT_PARTS_HPP
#define TOMOGRAPH_BENCH_INDEPENDENT_PARTS_HPP

#include <cstdint>

#include "description.hpp"
#include "random.hpp"

/// Draws of single parts, for all families.
namespace independent {

inline constexpr std::int64_t KiB = 1024;
inline constexpr std::int64_t MiB = 1024 * KiB;
inline constexpr std::int64_t GiB = 1024 * MiB;

/// Exponent of a power of two.
[[nodiscard]] unsigned log2_of(std::int64_t power);

/// 2^bits sets by the bits from `lowest` on, in order.
[[nodiscard]] SetIndex contiguous_index(unsigned lowest, unsigned bits);
/// 2^bits sets by plain bits somewhere in [lowest, end).
[[nodiscard]] SetIndex scattered_index(Random& random, unsigned lowest, unsigned bits, unsigned end);
/// 2^bits sets: each bit from `lowest` on, XORed with some higher ones below `end`.
[[nodiscard]] SetIndex hashed_index(Random& random, unsigned lowest, unsigned bits, unsigned end);

/// Sets of equally many ways.
void set_geometry(CacheDescription& cache, SetIndex index, int ways);

/// A policy that has a word among the facts and suits the number of ways.
void draw_known_policy(Random& random, CacheDescription& cache, int ways);

/// SMs in groups of `size` neighbours; the last group may be smaller.
[[nodiscard]] Groups neighbours(std::int64_t sms, std::int64_t size);
/// SM i in group i modulo `groups`.
[[nodiscard]] Groups dealt(std::int64_t sms, std::int64_t groups);
[[nodiscard]] std::uint32_t group_count(const Groups& of_sm);

}  // namespace independent

#endif
