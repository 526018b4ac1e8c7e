#ifndef TOMOGRAPH_MEMORY_SPECTRUM_PATTERNS_HPP
#define TOMOGRAPH_MEMORY_SPECTRUM_PATTERNS_HPP

#include <array>
#include <cstddef>

namespace tomograph::memory_spectrum {

/// What a load hits and misses.
struct Pattern {
  const char* name;
  const char* data_cache;
  const char* first_tlb;
  const char* other_tlbs;
};

/// Table 3 of Mei et al. 2014. The data cache is L2, the first that loads of the path `global.cg` may hit.
inline constexpr std::array<Pattern, 6> patterns{{{"p1", "hit", "hit", "-"},
                                                  {"p2", "hit", "miss", "hit"},
                                                  {"p3", "hit", "miss", "miss"},
                                                  {"p4", "miss", "hit", "-"},
                                                  {"p5", "miss", "miss", "miss"},
                                                  {"p6", "miss", "miss", "miss, page window too"}}};

/// Their places in `patterns`.
inline constexpr std::size_t p1 = 0;
inline constexpr std::size_t p2 = 1;
inline constexpr std::size_t p3 = 2;
inline constexpr std::size_t p4 = 3;
inline constexpr std::size_t p5 = 4;
inline constexpr std::size_t p6 = 5;

/// Patterns that miss the data cache.
inline constexpr std::array<std::size_t, 3> past_data_cache{p4, p5, p6};

/// Whether the loads of a pattern come in pairs: those that hit the data cache.
[[nodiscard]] constexpr bool is_paired(std::size_t pattern) { return pattern < past_data_cache.front(); }

/// Whether the loads of a pattern are the first of their pages, in a program that visited others.
[[nodiscard]] constexpr bool is_first_visit(std::size_t pattern) { return pattern == p5 || pattern == p6; }

[[nodiscard]] constexpr bool misses_every_tlb(std::size_t pattern) { return pattern == p3 || is_first_visit(pattern); }

}  // namespace tomograph::memory_spectrum

#endif
