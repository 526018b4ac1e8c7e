#ifndef TOMOGRAPH_SIM_GPU_CACHE_HPP
#define TOMOGRAPH_SIM_GPU_CACHE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/gpu/rules.hpp"

/// Organisation of caches: lines, sets, index and replacement. TLBs use it too; their lines are their entries.
namespace tomograph::sim {

class Section;

/// Most lines of one cache, or entries of a TLB. Limits the memory of the simulation: 2^24 lines of 128 B are 2 GiB,
/// far beyond any GPU.
inline constexpr std::int64_t maximum_lines = std::int64_t{1} << 24;
/// Width of virtual and physical addresses, as on today's GPUs.
inline constexpr int address_bits = 48;

/// The function that maps a line to its set.
struct Index {
  enum class Kind { bits, hashed, modulo, dealt };
  Kind kind = Kind::modulo;
  std::vector<int> bits;             ///< kind bits: address bits, lowest index bit first
  std::vector<std::uint64_t> masks;  ///< kind hashed: index bit i is the parity of address & masks[i]
};

struct Replacement {
  enum class Policy { lru, fifo, random, way_weighted, way_order, segmented_lru, tree_plru, not_recently_used };
  Policy policy = Policy::lru;
  std::vector<double> way_probability = {};  ///< policy way_weighted: how often each way is the victim
  /// Policy segmented_lru: lines of a set that are protected from eviction because they were used again (Karedla, Love
  /// & Wherry 1994).
  std::int64_t protected_ways = 0;
  std::vector<std::int64_t> way_order = {};  ///< policy way_order: the ways of successive victims, from 0
  /// Policy not_recently_used: the most recently used lines of a set that are never victims; the victim is drawn from
  /// all other ways. Empty ways are drawn too, so lines are evicted before the set is full.
  std::int64_t recent_ways = 0;
};

/// One cache, or one partition of it.
struct Cache {
  std::int64_t line_size = 128;
  std::int64_t sector_size = 32;
  std::int64_t fetch_granularity = 32;
  std::vector<std::int64_t> set_ways;
  Index index;
  Replacement replacement;

  [[nodiscard]] std::int64_t lines() const;
};

/// Most ways of a set under tree pseudo-LRU: the tree is kept in 32 bits.
inline constexpr std::int64_t maximum_tree_ways = 32;

/// The first broken rule about line, sector and fetch granularity. Its key is relative to the cache.
[[nodiscard]] Broken line_violation(const Cache& cache);
/// The first broken rule about the index of `sets` sets.
[[nodiscard]] Broken index_violation(const Cache& cache, std::size_t sets, const std::string& key);
/// The first broken rule about sets, their index and replacement.
[[nodiscard]] Broken organisation_violation(const Cache& cache, const std::string& key);
/// The first broken rule of all.
[[nodiscard]] Broken cache_violation(const Cache& cache, const std::string& key);

/// The first broken rule about masks over addresses of lines.
[[nodiscard]] Broken mask_range_violation(const std::vector<std::uint64_t>& masks, std::int64_t line_size,
                                          const std::string& key);
/// Rank of the masks as vectors over GF(2).
[[nodiscard]] std::size_t rank(std::vector<std::uint64_t> masks);
/// The masks that select a set by `index`; none for kinds modulo and dealt.
[[nodiscard]] std::vector<std::uint64_t> index_masks(const Index& index);

/// Reads line_size, sector_size and fetch_granularity. Checks their rules at once, since other rules compute with them.
void read_line(const Section& section, Cache& cache);
/// The ways of each set: set_ways, or what follows from two of size, sets and ways. One way of one set takes `unit`
/// bytes.
[[nodiscard]] std::vector<std::int64_t> read_set_ways(const Section& section, std::int64_t unit);
/// The index of `cache`. Default: the address bits next to the line offset, as in the classical cache (Mei and Chu
/// 2017, assumption 2), or the remainder of the line number if the number of sets is no power of two.
[[nodiscard]] Index read_index(const Section& cache, std::int64_t line_size, std::size_t sets);
/// Refuses a key that one kind of index has and the others have not, if it is there although not `expected` or missing.
void expect_for_kind(const Section& index, const char* key, bool expected);
/// Keys of an index of kind quotient.
inline constexpr std::array quotient_keys{
    "quotient_bits", "places", "parities", "remainder_by", "remainder_from_bit", "remainder_lowest_bits"};
[[nodiscard]] Replacement read_replacement(const Section& cache);
[[nodiscard]] std::vector<std::uint64_t> read_masks(const Section& section, const char* key);

}  // namespace tomograph::sim

#endif
