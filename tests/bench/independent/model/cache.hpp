#ifndef TOMOGRAPH_BENCH_INDEPENDENT_CACHE_HPP
#define TOMOGRAPH_BENCH_INDEPENDENT_CACHE_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "description.hpp"
#include "directory.hpp"
#include "indexer.hpp"
#include "replacement.hpp"
#include "set.hpp"

namespace independent {

/// A cache with its contents. An access searches the ways of one set. Each load makes some; without calls on the way of
/// a hit, all takes a sixth less time.
class Cache {
 public:
  Cache(const CacheDescription& description, std::uint64_t seed);

  /// Whether the sector at `address` is valid. Its line then counts as used. After a miss, brings what that fetches,
  /// and what is prefetched with it.
  bool access(std::uint64_t address) {
    if (hits_again(address)) return true;
    const Set set = set_numbered(set_of(address));
    std::uint32_t way = find(set, address >> line_shift_);
    return access(address, set, way);
  }
  /// The same, with the number of the address's set and a guess at the line's way, which is corrected: it saves most
  /// searches.
  [[gnu::always_inline]] bool access(std::uint64_t address, std::uint32_t set_number, std::uint8_t& guess) {
    const Set set = set_numbered(set_number);
    const std::uint64_t number = address >> line_shift_;
    std::uint32_t way = guess;
    if (way >= set.ways || set.line(way) >> sectors_ != number) way = find(set, number);
    const bool hit = access(address, set, way);
    guess = static_cast<std::uint8_t>(way);
    return hit;
  }
  /// Whether the last access was one of this sector and hit. A second hit changes nothing.
  [[nodiscard]] bool hits_again(std::uint64_t address) const { return address >> sector_shift_ == last_sector_; }
  /// Drops the line at `address`, which belongs to this set, if it is there.
  void drop(std::uint64_t address, std::uint32_t set);
  /// Uses so many ways of each set from now on, all at most. The cache must be empty, its sets equal and no trees.
  void limit_ways(std::uint32_t ways);
  /// Drops all lines. The state of the replacement stays, as in hardware.
  void invalidate();
  /// Fetches what an access of this set needs into the host's caches.
  void prefetch(std::uint32_t set) const {
    constexpr std::size_t host_line = 64;
    const auto* const begin = reinterpret_cast<const char*>(&ways_[first_of(set)]);
    for (std::size_t byte = 0; byte < eights_ * sizeof(EightWays); byte += host_line) {
      __builtin_prefetch(begin + byte, 1);
    }
  }

  /// Bytes of the host that hold the lines and the state of their replacement.
  [[nodiscard]] std::size_t state_bytes() const { return ways_.size() * sizeof(EightWays); }

  [[nodiscard]] std::uint32_t set_of(std::uint64_t address) const { return indexer_.set_of(address); }

 private:
  [[nodiscard]] std::size_t first_of(std::uint32_t set) const { return std::size_t{set} * eights_; }
  [[nodiscard]] Set set_numbered(std::uint32_t number) {
    return {number, equal_sets_ ? ways_of_each_ : ways_of_set_[number], {&ways_[first_of(number)], eights_}};
  }
  /// An access that finds the line in this way, or not if it is the set's number of ways. It becomes the way with the
  /// line.
  [[gnu::always_inline]] bool access(std::uint64_t address, const Set& set, std::uint32_t& way) {
    if (way == set.ways || (set.line(way) & sector_bit(address)) == 0) {
      way = miss(address, set, way);
      return false;
    }
    last_sector_ = address >> sector_shift_;
    replacement_.use(set, way);
    return true;
  }
  /// Begins with empty sets of as many ways as are used.
  void begin();
  /// The way of the set that holds the line, or its number of ways.
  [[nodiscard]] std::uint32_t find(const Set& set, std::uint64_t line_number) const {
    return directory_ ? look_up(set, line_number) : search(set, line_number);
  }
  [[nodiscard]] std::uint32_t search(const Set& set, std::uint64_t line_number) const;
  [[nodiscard]] std::uint32_t look_up(const Set& set, std::uint64_t line_number) const {
    const std::uint32_t way = directory_->find(line_number);
    return way == Directory::nowhere ? set.ways : way - first_in_directory(set);
  }
  [[nodiscard]] std::uint32_t first_in_directory(const Set& set) const {
    return static_cast<std::uint32_t>(8 * first_of(set.number));
  }
  /// The first way of the set without a valid line, or its number of ways.
  [[nodiscard]] static std::uint32_t find_invalid(const Set& set);
  /// Brings what a miss of `address` brings, and returns its way; `way` is what `find` returned.
  std::uint32_t miss(std::uint64_t address, const Set& set, std::uint32_t way);
  /// Brings the lines that follow this one.
  void prefetch_after(std::uint64_t line_number);
  /// A way of the set for another line, which is not valid.
  [[nodiscard]] std::uint32_t make_room(const Set& set);
  /// Makes the sectors valid and returns their way; `way` is what `find` returned.
  std::uint32_t bring(const Set& set, std::uint32_t way, std::uint64_t line_number, std::uint64_t sectors);
  [[nodiscard]] std::uint64_t sector_bit(std::uint64_t address) const {
    return std::uint64_t{1} << ((address & line_mask_) >> sector_shift_);
  }
  [[nodiscard]] std::uint64_t fetched_sectors(std::uint64_t address) const {
    return fetched_ << (((address & line_mask_) >> fetch_shift_) << (fetch_shift_ - sector_shift_));
  }

  Indexer indexer_;
  Replacement replacement_;
  std::uint32_t sets_;
  bool equal_sets_;
  std::uint32_t ways_of_each_;  ///< in use, if the sets are equal
  std::vector<std::uint32_t> ways_of_set_;
  std::size_t eights_;                  ///< of each set, as many as the largest one needs
  std::vector<EightWays> ways_;         ///< by set
  std::optional<Directory> directory_;  ///< if the sets are large
  std::uint32_t usable_lines_ = 0;
  std::uint32_t valid_lines_ = 0;
  unsigned line_shift_;
  unsigned sector_shift_;
  unsigned fetch_shift_;
  unsigned sectors_;  ///< of a line
  std::uint64_t line_mask_;
  std::uint64_t fetched_;  ///< the first sectors of a line, as many as a miss brings
  int prefetched_lines_;
  std::uint64_t last_sector_;  ///< number of the sector that the last access hit, or that of none
};

/// The golden ratio spreads the numbers of neighbouring lines (Knuth 1998, section 6.4). Fingerprints are odd.
[[nodiscard]] inline std::uint8_t fingerprint_of(std::uint64_t line_number) {
  return static_cast<std::uint8_t>((line_number * 0x9e3779b97f4a7c15U) >> 56) | 1;
}

// Two eights at a time, because the host cannot predict which of them has the line.
inline std::uint32_t Cache::search(const Set& set, std::uint64_t line_number) const {
  const std::uint8_t fingerprint = fingerprint_of(line_number);
  for (std::size_t i = 0; i < eights_; i += 2) {
    std::uint64_t low = equal_bytes(set.eights[i].fingerprints, fingerprint);
    std::uint64_t high = i + 1 < eights_ ? equal_bytes(set.eights[i + 1].fingerprints, fingerprint) : 0;
    while ((low | high) != 0) {
      const std::uint32_t way = static_cast<std::uint32_t>(8 * i) + (low != 0 ? first_byte(low) : 8 + first_byte(high));
      if (set.line(way) >> sectors_ == line_number) return way;
      high = low != 0 ? high : high & (high - 1);
      low &= low - 1;
    }
  }
  return set.ways;
}

}  // namespace independent

#endif
