#ifndef TOMOGRAPH_SIM_CHASE_PLACEMENT_HPP
#define TOMOGRAPH_SIM_CHASE_PLACEMENT_HPP

#include <bit>
#include <cstdint>
#include <vector>

#include "sim/chase/hierarchy.hpp"
#include "sim/random.hpp"
#include "tomograph/chase.hpp"

namespace tomograph::sim {

/// The exponent of a power of two.
[[nodiscard]] inline int exponent_of(std::int64_t power_of_two) {
  return std::countr_zero(static_cast<std::uint64_t>(power_of_two));
}

/// Hash over every field of `program`.
[[nodiscard]] std::uint64_t identity(const chase::Program& program);

/// Hash over `arrays`.
[[nodiscard]] std::uint64_t identity(const std::vector<chase::Array>& arrays);

/// Bytes of all arrays in `space`, aligned one after the other. Not for global memory.
[[nodiscard]] std::uint64_t bytes_in(chase::Space space, const std::vector<chase::Array>& arrays);

/// A half-open range.
struct Extent {
  std::uint64_t begin;
  std::uint64_t end;
};

/// The addresses of a program's arrays: pseudo-random virtual addresses, on pages whose physical addresses are
/// pseudo-random, too, or contiguous if the description says so. An alias has its own virtual addresses and the pages
/// of the array it names. Arrays of constant memory are contiguous. Arrays of shared memory have no address here.
///
/// A position numbers the bytes of all arrays' pages contiguously, from 0.
class Placement {
 public:
  struct Seeds {
    std::uint64_t addresses;  ///< of virtual addresses
    std::uint64_t pages;      ///< of the physical addresses of pages
  };
  Placement(const Hierarchy& hierarchy, const std::vector<chase::Array>& arrays, const Seeds& seeds);

  [[nodiscard]] std::uint64_t virtual_base(std::size_t array) const { return arrays_[array].virtual_base; }
  /// Position of the first byte of an array among the virtual pages.
  [[nodiscard]] std::uint64_t virtual_position(std::size_t array) const { return arrays_[array].virtual_position; }
  /// The same among physical pages, where aliases coincide.
  [[nodiscard]] std::uint64_t physical_position(std::size_t array) const { return arrays_[array].physical_position; }
  [[nodiscard]] std::uint64_t physical_address(std::uint64_t position) const {
    return (physical_page(position >> page_shift_) << page_shift_) |
           (position & ((std::uint64_t{1} << page_shift_) - 1));
  }
  /// Bytes of physical memory that the program occupies.
  [[nodiscard]] std::uint64_t physical_bytes() const { return physical_bytes_; }
  [[nodiscard]] std::uint64_t virtual_bytes() const { return virtual_bytes_; }
  /// The range of all virtual addresses.
  [[nodiscard]] Extent addresses() const { return {first_unit_ << unit_shift_, next_unit_ << unit_shift_}; }

 private:
  struct Place {
    std::uint64_t virtual_base = 0;
    std::uint64_t virtual_position = 0;
    std::uint64_t physical_position = 0;

    [[nodiscard]] Place behind(std::uint64_t bytes) const {
      return {virtual_base + bytes, virtual_position + bytes, physical_position + bytes};
    }
  };

  /// New pages for `bytes`.
  [[nodiscard]] Place map(std::uint64_t bytes, Random& random);
  [[nodiscard]] Place map_global(const chase::Array& array, Random& random);
  [[nodiscard]] std::uint64_t physical_page(std::uint64_t page) const;

  int page_shift_;
  int unit_shift_;  ///< arrays start at multiples of this power of two
  bool contiguous_;
  std::uint64_t key_;
  std::vector<Place> arrays_;
  std::uint64_t first_unit_ = 0;
  std::uint64_t next_unit_ = 0;
  std::uint64_t virtual_bytes_ = 0;
  std::uint64_t physical_bytes_ = 0;
};

}  // namespace tomograph::sim

#endif
