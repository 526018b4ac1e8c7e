#ifndef TOMOGRAPH_BENCH_INDEPENDENT_DIRECTORY_HPP
#define TOMOGRAPH_BENCH_INDEPENDENT_DIRECTORY_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace independent {

/// Tells where a cache has a line, for caches whose sets have too many ways to search them. A hash table with a list of
/// ways for each hash.
class Directory {
 public:
  static constexpr std::uint32_t nowhere = 0xffff;

  /// For so many ways of all sets together, fewer than `nowhere`.
  explicit Directory(std::size_t ways)
      : shift_(64U - static_cast<unsigned>(std::bit_width(ways)) - 1),
        first_(std::size_t{1} << (64 - shift_), nowhere),
        next_(ways, nowhere),
        lines_(ways) {
    if (ways >= nowhere) throw std::invalid_argument("a directory has fewer than 65535 ways");
  }

  /// The way that has this line, or `nowhere`.
  [[nodiscard]] std::uint32_t find(std::uint64_t line) const {
    std::uint32_t way = first_[hash(line)];
    while (way != nowhere && lines_[way] != line) way = next_[way];
    return way;
  }
  void add(std::uint32_t way, std::uint64_t line) {
    std::uint16_t& first = first_[hash(line)];
    lines_[way] = line;
    next_[way] = first;
    first = static_cast<std::uint16_t>(way);
  }
  /// Removes a way that has a line.
  void remove(std::uint32_t way) {
    std::uint16_t* link = &first_[hash(lines_[way])];
    while (*link != way) link = &next_[*link];
    *link = next_[way];
  }
  void clear() { std::fill(first_.begin(), first_.end(), static_cast<std::uint16_t>(nowhere)); }

 private:
  [[nodiscard]] std::size_t hash(std::uint64_t line) const { return (line * 0x9e3779b97f4a7c15U) >> shift_; }

  unsigned shift_;
  std::vector<std::uint16_t> first_;  ///< by hash
  std::vector<std::uint16_t> next_;   ///< by way
  std::vector<std::uint64_t> lines_;  ///< by way
};

}  // namespace independent

#endif
