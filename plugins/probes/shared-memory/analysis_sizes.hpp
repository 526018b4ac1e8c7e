#ifndef TOMOGRAPH_SHARED_MEMORY_ANALYSIS_SIZES_HPP
#define TOMOGRAPH_SHARED_MEMORY_ANALYSIS_SIZES_HPP

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

/// How much shared memory an SM has, from the largest CTAs that run on it together. Pure functions.
namespace tomograph::shared_memory {

/// Numbers of CTAs on an SM, each twice the one before.
inline constexpr std::array<std::int64_t, 4> cta_counts{1, 2, 4, 8};

/// A size that runs and a larger one that does not.
struct Bracket {
  std::int64_t runs = 0;
  std::int64_t refused = std::int64_t{1} << 24;  ///< at first, a size beyond any SM
};

/// Sizes that divide the bracket evenly, in units in which hardware allocates. None if the bracket is narrower.
[[nodiscard]] std::vector<std::int64_t> candidates(const Bracket& bracket);

/// Shared memory of an SM. Each CTA takes `reserved` bytes beside its own: n (bytes + reserved) = size for the largest
/// CTAs of which n fit.
struct SmSize {
  std::int64_t size = 0;
  std::int64_t reserved = 0;
  std::int64_t confirmed = 0;  ///< by how many further counts
};

/// Two counts n and 2n give size and reserved bytes, further ones confirm them. `largest` are the bytes of the largest
/// CTAs by `cta_counts`. Nothing if no further count confirms.
[[nodiscard]] std::optional<SmSize> sm_size(const std::array<std::int64_t, cta_counts.size()>& largest);

}  // namespace tomograph::shared_memory

#endif
