#ifndef TOMOGRAPH_BENCH_INDEPENDENT_RANDOM_HPP
#define TOMOGRAPH_BENCH_INDEPENDENT_RANDOM_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace independent {

/// A bijective mix of 64 bits (Stafford's variant 13).
constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// Random numbers that are the same on every machine (SplitMix64).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(mix(seed ^ 0x9e3779b97f4a7c15U)) {}

  std::uint64_t next() { return mix(state_ += step); }
  /// In [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// In [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low + 1)));
  }
  /// In [0, bound), bound below 2^32.
  std::uint64_t below(std::uint64_t bound) { return ((next() >> 32) * bound) >> 32; }
  bool chance(double probability) {
    if (probability > 0) return uniform() < probability;
    skip();
    return false;
  }
  /// Draws a number that nobody needs.
  void skip() { state_ += step; }
  /// About normal, with mean 0 and standard deviation 1: the sum of four 16-bit numbers.
  double normal() {
    const std::uint64_t x = next();
    const std::uint64_t sum = (x & 0xffff) + ((x >> 16) & 0xffff) + ((x >> 32) & 0xffff) + (x >> 48);
    constexpr double scale = 1 / 37837.0;  // a multiplication takes less time than a division
    return (static_cast<double>(sum) - 131070.0) * scale;
  }
  template <typename T>
  T pick(std::initializer_list<T> choices) {
    return choices.begin()[below(choices.size())];
  }
  template <typename T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  static constexpr std::uint64_t step = 0x9e3779b97f4a7c15U;

  std::uint64_t state_;
};

}  // namespace independent

#endif
