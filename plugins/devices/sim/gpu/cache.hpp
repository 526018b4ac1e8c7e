#ifndef TOMOGRAPH_SIM_GPU_CACHE_HPP
#define TOMOGRAPH_SIM_GPU_CACHE_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/gpu/rules.hpp"

/// How lines are kept and found, the same for every cache and for TLBs, whose lines are their entries.
namespace tomograph::sim {

class Section;

/// Lines of one cache, or entries of a TLB: 2 GiB of the usual lines, far beyond any GPU.
inline constexpr std::int64_t maximum_lines = std::int64_t{1} << 24;
inline constexpr int address_bits = 48;

/// Which set of its cache a line belongs to.
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
  /// Policy segmented_lru: how many lines of a set that were used again are kept before any that was not (Karedla,
  /// Love & Wherry 1994).
  std::int64_t protected_ways = 0;
  std::vector<std::int64_t> way_order = {};  ///< policy way_order: the victims' ways, from 0, that follow in turn
  /// Policy not_recently_used: any way may be the victim but those of so many lines of the set that were used last
  /// (not-MRU for more than one line). Empty ways are drawn as others are, so that lines leave before the set is full.
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

/// Ways of a set under tree pseudo-LRU, at most.
inline constexpr std::int64_t maximum_tree_ways = 32;

/// The first broken rule about line, sector and fetch granularity; its key is relative to the cache.
[[nodiscard]] Broken line_violation(const Cache& cache);
/// The first broken rule about where lines of `sets` sets go.
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

/// line_size, sector_size, fetch_granularity; refused right away if they break a rule, since others compute with them.
void read_line(const Section& section, Cache& cache);
/// set_ways, or what size, sets and ways say, where one way of one set takes `unit` bytes.
[[nodiscard]] std::vector<std::int64_t> read_set_ways(const Section& section, std::int64_t unit);
/// Without a word about it, sets are selected by the address bits next to the line offset, as in the classical cache
/// (Mei and Chu 2017, assumption 2), or by the remainder where their number is no power of two.
[[nodiscard]] Index read_index(const Section& cache, std::int64_t line_size, std::size_t sets);
[[nodiscard]] Replacement read_replacement(const Section& cache);
[[nodiscard]] std::vector<std::uint64_t> read_masks(const Section& section, const char* key);

}  // namespace tomograph::sim

#endif
