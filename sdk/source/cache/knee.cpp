#include "tomograph/cache/knee.hpp"

#include <cmath>

#include "tomograph/cache/retention.hpp"

namespace tomograph::cache {

bool sets_are_full(const Executor& execute, const Subject& subject, std::int64_t line_bytes,
                   std::int64_t fitting_bytes) {
  const std::int64_t lines = fitting_bytes / line_bytes;
  constexpr std::int64_t looks = 64;
  std::vector<Footprint> footprints;
  for (const std::int64_t more : {1, 2}) {
    footprints.push_back({.ring = {0, 0, line_bytes, lines + more},
                          .bytes = (lines + more) * line_bytes,
                          .samples = lines + more,
                          .repeats = looks,
                          .share = 1});
  }
  const auto seen = retained(execute, subject, footprints);
  const auto first = static_cast<double>(seen[0].sampled - seen[0].hits);
  const auto second = static_cast<double>(seen[1].sampled - seen[1].hits);
  const bool one_set = 2 * first > static_cast<double>(seen[0].sampled);
  // Misses of random victims scatter like Poisson's; only a clear lack of them speaks against full sets.
  constexpr double deviations = 4;
  return one_set || 2 * first - second < deviations * std::sqrt(4 * first + second);
}

}  // namespace tomograph::cache
