#ifndef TOMOGRAPH_BENCH_ACCURACY_DRAW_HPP
#define TOMOGRAPH_BENCH_ACCURACY_DRAW_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace tomograph::bench {

/// Random numbers that are the same on every machine. The distributions of the standard library differ between
/// implementations, so these are written out.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}

  /// Uniform in [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  /// A power of two in [low, high], uniformly; both bounds are powers of two.
  std::int64_t power_of_two(std::int64_t low, std::int64_t high) {
    return std::int64_t{1} << between(exponent(low), exponent(high));
  }
  /// Uniform in [low, high).
  double real(double low, double high) { return low + (high - low) * static_cast<double>(engine_() >> 11U) * 0x1p-53; }
  /// True with probability 1 / count.
  bool one_in(std::int64_t count) { return between(1, count) == 1; }
  /// A uniformly random order of `values`.
  template <typename T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(i) - 1))]);
    }
  }

  /// The exponent of a power of two.
  static int exponent(std::int64_t power) { return std::countr_zero(static_cast<std::uint64_t>(power)); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace tomograph::bench

#endif
