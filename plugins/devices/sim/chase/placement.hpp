#ifndef TOMOGRAPH_SIM_CHASE_PLACEMENT_HPP
#define TOMOGRAPH_SIM_CHASE_PLACEMENT_HPP

#include <cstdint>
#include <vector>

#include "tomograph/chase.hpp"

namespace tomograph::sim {

/// Hash over every field of `program`.
[[nodiscard]] std::uint64_t identity(const chase::Program& program);

/// Where the arrays of a program lie: at pseudo-random virtual addresses, on 2 MiB pages of pseudo-random
/// physical addresses. An alias has virtual addresses of its own and the pages of the array it names.
class Placement {
 public:
  Placement(const std::vector<chase::Array>& arrays, std::uint64_t seed);

  [[nodiscard]] std::uint64_t virtual_address(std::size_t array, std::uint64_t offset) const {
    return arrays_[array].virtual_base + offset;
  }
  [[nodiscard]] std::uint64_t physical_address(std::size_t array, std::uint64_t offset) const {
    return physical_page(arrays_[array].first_page + offset / page_bytes) * page_bytes + offset % page_bytes;
  }
  /// Position of a byte among the virtual pages of all arrays: names it without the scatter of addresses.
  [[nodiscard]] std::uint64_t virtual_position(std::size_t array, std::uint64_t offset) const {
    return arrays_[array].first_virtual_page * page_bytes + offset;
  }
  /// The same among physical pages, where aliases coincide.
  [[nodiscard]] std::uint64_t physical_position(std::size_t array, std::uint64_t offset) const {
    return arrays_[array].first_page * page_bytes + offset;
  }
  /// Bytes of physical memory that the program occupies.
  [[nodiscard]] std::uint64_t physical_bytes() const { return pages_ * page_bytes; }
  [[nodiscard]] std::uint64_t virtual_bytes() const { return virtual_pages_ * page_bytes; }

  static constexpr std::uint64_t page_bytes = chase::array_alignment;

 private:
  struct Place {
    std::uint64_t virtual_base;
    std::uint64_t first_virtual_page;
    std::uint64_t first_page;
  };

  [[nodiscard]] std::uint64_t physical_page(std::uint64_t page) const;

  std::vector<Place> arrays_;
  std::uint64_t virtual_pages_ = 0;
  std::uint64_t pages_ = 0;
  std::uint64_t key_;
};

}  // namespace tomograph::sim

#endif
