#include "analysis_sizes.hpp"

namespace tomograph::shared_memory {

namespace {

/// Hardware allocates at least so many bytes at a time.
constexpr std::int64_t granularity = 16;

}  // namespace

std::vector<std::int64_t> candidates(const Bracket& bracket) {
  // Parts of a bracket, whose limits are tried at the same time.
  constexpr std::int64_t parts = 16;
  std::vector<std::int64_t> sizes;
  const std::int64_t step = (bracket.refused - bracket.runs) / parts;
  for (std::int64_t i = 1; i < parts; ++i) {
    const std::int64_t size = (bracket.runs + i * step) / granularity * granularity;
    if (size > bracket.runs && (sizes.empty() || size > sizes.back())) sizes.push_back(size);
  }
  return sizes;
}

std::optional<SmSize> sm_size(const std::array<std::int64_t, cta_counts.size()>& largest) {
  for (std::size_t i = 0; i + 1 < largest.size(); ++i) {
    const std::int64_t ctas = cta_counts[i];
    const std::int64_t size = 2 * ctas * (largest[i] - largest[i + 1]);
    if (size <= 0 || largest[i + 1] == 0 || size % ctas != 0) continue;
    SmSize found{size, size / ctas - largest[i], 0};
    for (std::size_t k = i + 2; k < largest.size(); ++k) {
      if (cta_counts[k] * (largest[k] + found.reserved) == size) ++found.confirmed;
    }
    if (found.reserved >= 0 && found.confirmed > 0) return found;
  }
  return std::nullopt;
}

}  // namespace tomograph::shared_memory
