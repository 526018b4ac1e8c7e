#ifndef TOMOGRAPH_SIM_KERNEL_DIVISOR_HPP
#define TOMOGRAPH_SIM_KERNEL_DIVISOR_HPP

#include <bit>
#include <cstdint>

namespace tomograph::sim::timed {

/// A positive divisor that is often a power of two, by which division takes tens of cycles less.
class Divisor {
 public:
  explicit Divisor(std::uint64_t value)
      : value_(value), shift_(std::has_single_bit(value) ? std::countr_zero(value) : none) {}

  [[nodiscard]] std::uint64_t value() const { return value_; }
  [[nodiscard]] std::uint64_t quotient(std::uint64_t number) const {
    return shift_ == none ? number / value_ : number >> shift_;
  }
  [[nodiscard]] std::uint64_t remainder(std::uint64_t number) const {
    return shift_ == none ? number % value_ : number & (value_ - 1);
  }

 private:
  static constexpr int none = -1;
  std::uint64_t value_;
  int shift_;
};

}  // namespace tomograph::sim::timed

#endif
