#ifndef TOMOGRAPH_BENCH_INDEPENDENT_INDEXER_HPP
#define TOMOGRAPH_BENCH_INDEPENDENT_INDEXER_HPP

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "description.hpp"
#include "random.hpp"

namespace independent {

/// The parities of an address under several masks, as a number: bit i belongs to mask i. One table for each byte that
/// the masks touch holds the parities of its 256 values.
class Parities {
 public:
  explicit Parities(const std::vector<std::uint64_t>& masks) {
    std::uint64_t all = 0;
    for (const std::uint64_t mask : masks) all |= mask;
    if (all == 0) return;
    lowest_bit_ = static_cast<unsigned>(std::countr_zero(all));
    tables_.resize(static_cast<std::size_t>(std::bit_width(all >> lowest_bit_) + 7) / 8);
    for (std::size_t byte = 0; byte < tables_.size(); ++byte) {
      for (std::uint64_t value = 0; value < 256; ++value) {
        for (std::size_t bit = 0; bit < masks.size(); ++bit) {
          const bool odd = (std::popcount((value << (8 * byte)) & (masks[bit] >> lowest_bit_)) & 1) != 0;
          tables_[byte][value] |= static_cast<std::uint32_t>(odd) << bit;
        }
      }
    }
  }

  [[nodiscard]] std::uint32_t of(std::uint64_t address) const {
    std::uint32_t parities = 0;
    address >>= lowest_bit_;
    for (const auto& table : tables_) {
      parities ^= table[address & 0xff];
      address >>= 8;
    }
    return parities;
  }

 private:
  unsigned lowest_bit_ = 0;
  std::vector<std::array<std::uint32_t, 256>> tables_;
};

/// Computes the number of an address's set.
class Indexer {
 public:
  Indexer(const SetIndex& index, std::int64_t line)
      : kind_(index.kind),
        sets_(index.sets),
        line_shift_(static_cast<unsigned>(std::countr_zero(static_cast<std::uint64_t>(line)))),
        parities_(index.masks),
        shift_(index.masks.empty() ? 0 : static_cast<unsigned>(std::countr_zero(index.masks.front()))),
        plain_(kind_ == SetIndex::Kind::linear && are_neighbours(index.masks)) {}

  [[nodiscard]] std::uint32_t set_of(std::uint64_t address) const {
    if (plain_) return static_cast<std::uint32_t>(address >> shift_) & (sets_ - 1);
    switch (kind_) {
      case SetIndex::Kind::linear: return parities_.of(address);
      case SetIndex::Kind::modulus: return static_cast<std::uint32_t>((address >> line_shift_) % sets_);
      case SetIndex::Kind::scrambled: break;
    }
    return static_cast<std::uint32_t>((mix(address >> line_shift_) >> 32) % sets_);
  }

 private:
  /// Whether each mask is one bit, the next higher one than that of the mask before.
  static bool are_neighbours(const std::vector<std::uint64_t>& masks) {
    for (std::size_t i = 0; i < masks.size(); ++i) {
      if (masks[i] != std::uint64_t{1} << (static_cast<std::size_t>(std::countr_zero(masks[0])) + i)) return false;
    }
    return true;
  }

  SetIndex::Kind kind_;
  std::uint32_t sets_;
  unsigned line_shift_;
  Parities parities_;
  unsigned shift_;
  bool plain_;  ///< the number of the set is some bits of the address
};

}  // namespace independent

#endif
