#ifndef TOMOGRAPH_SIM_RANDOM_HPP
#define TOMOGRAPH_SIM_RANDOM_HPP

#include <cstdint>

namespace tomograph::sim {

/// The output function of SplitMix64 (Steele, Lea and Flood 2014), a bijection: every bit of the result depends on
/// every bit of `value`.
constexpr std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

/// SplitMix64. Gives the same numbers on every machine, unlike the distributions of the standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed = 0) : state_(seed) {}

  std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15U); }

  /// Uniform below `bound`, by multiplication (Lemire 2019) with a bias below bound / 2^32.
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32); }

  /// Uniform in [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace tomograph::sim

#endif
