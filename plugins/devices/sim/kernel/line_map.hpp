#ifndef TOMOGRAPH_SIM_KERNEL_LINE_MAP_HPP
#define TOMOGRAPH_SIM_KERNEL_LINE_MAP_HPP

#include <bit>
#include <cstdint>
#include <vector>

namespace tomograph::sim::timed {

/// Numbers by line address: a hash table with chains. It is small, so that those of all SMs and slices stay in the
/// processor's cache.
class LineMap {
 public:
  static constexpr std::uint32_t nothing = ~std::uint32_t{0};

  /// For numbers below `most`.
  explicit LineMap(std::size_t most)
      : chains_(std::bit_ceil(4 * most), nothing), hash_shift_(64 - std::countr_zero(chains_.size())), entries_(most) {}

  /// The number of a line, or `nothing`.
  [[nodiscard]] std::uint32_t find(std::uint64_t line) const {
    std::uint32_t number = chains_[chain_of(line)];
    while (number != nothing && entries_[number].line != line) number = entries_[number].next;
    return number;
  }
  /// Sets the number of a line in place of another one that it may have. No other line has it.
  void set(std::uint64_t line, std::uint32_t number) {
    std::uint32_t* link = &chains_[chain_of(line)];
    while (*link != nothing && entries_[*link].line != line) link = &entries_[*link].next;
    const std::uint32_t next = *link == nothing ? nothing : entries_[*link].next;
    *link = number;
    entries_[number] = {line, next};
  }
  /// Removes a line, if it has this number.
  void erase(std::uint64_t line, std::uint32_t number) {
    std::uint32_t* link = &chains_[chain_of(line)];
    while (*link != nothing && *link != number) link = &entries_[*link].next;
    if (*link == number) *link = entries_[number].next;
  }

 private:
  struct Entry {
    std::uint64_t line = 0;
    std::uint32_t next = nothing;  ///< of the chain
  };
  /// The upper bits of a product with the golden ratio (Fibonacci hashing, Knuth 1973, section 6.4).
  [[nodiscard]] std::size_t chain_of(std::uint64_t line) const { return line * 0x9e3779b97f4a7c15ULL >> hash_shift_; }

  std::vector<std::uint32_t> chains_;  ///< first numbers
  int hash_shift_;
  std::vector<Entry> entries_;  ///< by number
};

}  // namespace tomograph::sim::timed

#endif
