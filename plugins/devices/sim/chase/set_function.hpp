#ifndef TOMOGRAPH_SIM_CHASE_SET_FUNCTION_HPP
#define TOMOGRAPH_SIM_CHASE_SET_FUNCTION_HPP

#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "sim/gpu/description.hpp"

namespace tomograph::sim {

/// A linear function over GF(2): bit i of the value is the parity of address & masks[i]. With one table per address
/// byte an evaluation takes six look-ups, whatever the masks.
class ParityFunction {
 public:
  explicit ParityFunction(std::span<const std::uint64_t> masks) {
    for (std::size_t byte = 0; byte < tables_.size(); ++byte) {
      for (std::uint64_t value = 0; value < 256; ++value) {
        for (std::size_t i = 0; i < masks.size(); ++i) {
          const auto parity = static_cast<std::uint32_t>(std::popcount((value << (8 * byte)) & masks[i]) & 1);
          tables_[byte][value] |= parity << i;
        }
      }
    }
  }

  std::uint32_t operator()(std::uint64_t address) const {
    std::uint32_t value = 0;
    for (std::size_t byte = 0; byte < tables_.size(); ++byte) value ^= tables_[byte][(address >> (8 * byte)) & 255];
    return value;
  }

 private:
  std::array<std::array<std::uint32_t, 256>, 6> tables_{};
};

/// Maps an address to the set of its line.
class SetFunction {
 public:
  SetFunction(const Index& index, std::int64_t line_size, std::span<const std::int64_t> set_ways)
      : parity_(masks(index)),
        line_shift_(std::countr_zero(static_cast<std::uint64_t>(line_size))),
        modulus_(index.kind == Index::Kind::modulo ? set_ways.size() : 0) {
    if (index.kind != Index::Kind::dealt) return;
    dealt_ = deal(set_ways);
    modulus_ = dealt_.size();
  }

  std::uint32_t operator()(std::uint64_t address) const {
    if (modulus_ == 0) return parity_(address);
    const std::uint64_t remainder = (address >> line_shift_) % modulus_;
    return dealt_.empty() ? static_cast<std::uint32_t>(remainder) : dealt_[remainder];
  }

 private:
  /// The sets of as many consecutive lines as the cache holds: round-robin over the sets, skipping full ones.
  static std::vector<std::uint32_t> deal(std::span<const std::int64_t> set_ways) {
    std::vector<std::uint32_t> sets;
    for (std::int64_t turn = 0, given = -1; given != 0; ++turn) {
      given = 0;
      for (std::uint32_t set = 0; set < set_ways.size(); ++set) {
        if (set_ways[set] <= turn) continue;
        sets.push_back(set);
        ++given;
      }
    }
    return sets;
  }

  static std::vector<std::uint64_t> masks(const Index& index) {
    if (index.kind == Index::Kind::hashed) return index.masks;
    std::vector<std::uint64_t> result;
    for (const int bit : index.bits) result.push_back(std::uint64_t{1} << bit);
    return result;
  }

  ParityFunction parity_;
  int line_shift_;
  std::uint64_t modulus_;
  std::vector<std::uint32_t> dealt_;  ///< kind dealt: set by remainder
};

/// Maps an address to the home partition of its L2 line.
class HomeFunction {
 public:
  explicit HomeFunction(const L2& l2)
      : number_(l2.home_masks), partitions_(static_cast<std::uint32_t>(l2.partitions)) {}

  std::uint32_t operator()(std::uint64_t address) const { return number_(address) % partitions_; }

 private:
  ParityFunction number_;
  std::uint32_t partitions_;
};

}  // namespace tomograph::sim

#endif
