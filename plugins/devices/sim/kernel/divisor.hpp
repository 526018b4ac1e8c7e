#ifndef TOMOGRAPH_SIM_KERNEL_DIVISOR_HPP
#define TOMOGRAPH_SIM_KERNEL_DIVISOR_HPP

#include <cstdint>

namespace tomograph::sim::timed {

/// A positive divisor. Multiplies by its inverse, rounded down, which takes fewer cycles than a division.
class Divisor {
 public:
  Divisor(std::uint64_t value) : value_(value), inverse_(~std::uint64_t{0} / value) {}

  [[nodiscard]] std::uint64_t value() const { return value_; }
  [[nodiscard]] std::uint64_t quotient(std::uint64_t number) const {
    const std::uint64_t low = at_most_quotient(number);
    return low + (number - low * value_ >= value_ ? 1 : 0);
  }
  [[nodiscard]] std::uint64_t remainder(std::uint64_t number) const {
    const std::uint64_t rest = number - at_most_quotient(number) * value_;
    return rest >= value_ ? rest - value_ : rest;
  }

 private:
  __extension__ using Wide = unsigned __int128;
  /// The quotient or one less: the inverse is less than 1 / 2^64 too small.
  [[nodiscard]] std::uint64_t at_most_quotient(std::uint64_t number) const {
    return static_cast<std::uint64_t>(Wide{number} * inverse_ >> 64);
  }

  std::uint64_t value_;
  std::uint64_t inverse_;  ///< times 2^64
};

}  // namespace tomograph::sim::timed

#endif
