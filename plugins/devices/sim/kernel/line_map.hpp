#ifndef TOMOGRAPH_SIM_KERNEL_LINE_MAP_HPP
#define TOMOGRAPH_SIM_KERNEL_LINE_MAP_HPP

#include <bit>
#include <cstdint>
#include <vector>

#include "sim/random.hpp"

namespace tomograph::sim::timed {

/// Numbers by line address: a hash table with linear probing. It is small, so that those of all SMs and slices stay in
/// the processor's cache.
class LineMap {
 public:
  static constexpr std::uint32_t nothing = ~std::uint32_t{0};

  /// For numbers below `most`.
  explicit LineMap(std::size_t most) : slots_(std::bit_ceil(4 * most), nothing), lines_(most) {}

  /// The number of a line, or `nothing`.
  [[nodiscard]] std::uint32_t find(std::uint64_t line) const { return slots_[slot_of(line)]; }
  /// Sets the number of a line. No other line has it.
  void set(std::uint64_t line, std::uint32_t number) {
    slots_[slot_of(line)] = number;
    lines_[number] = line;
  }

  /// Removes a line, if it has this number. Later entries of its run move up, so that no gap hides them (Knuth 1973,
  /// 6.4 R).
  void erase(std::uint64_t line, std::uint32_t number) {
    std::size_t gap = slot_of(line);
    if (slots_[gap] != number) return;
    for (std::size_t next = after(gap); slots_[next] != nothing; next = after(next)) {
      const std::size_t wanted = home(lines_[slots_[next]]);
      if (((next - wanted) & mask()) < ((next - gap) & mask())) continue;
      slots_[gap] = slots_[next];
      gap = next;
    }
    slots_[gap] = nothing;
  }

 private:
  [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }
  [[nodiscard]] std::size_t home(std::uint64_t line) const { return mix(line) & mask(); }
  [[nodiscard]] std::size_t after(std::size_t slot) const { return (slot + 1) & mask(); }
  /// The slot of a line, or the empty one where it would go.
  [[nodiscard]] std::size_t slot_of(std::uint64_t line) const {
    std::size_t slot = home(line);
    while (slots_[slot] != nothing && lines_[slots_[slot]] != line) slot = after(slot);
    return slot;
  }

  std::vector<std::uint32_t> slots_;  ///< numbers
  std::vector<std::uint64_t> lines_;  ///< by number
};

}  // namespace tomograph::sim::timed

#endif
