#include "analysis_knee.hpp"
#include "tomograph/cache/knee.hpp"

namespace tomograph::cache {

bool sets_are_full(const Executor& execute, const Subject& subject, std::int64_t line_bytes,
                   std::int64_t fitting_bytes) {
  const std::int64_t lines = fitting_bytes / line_bytes;
  constexpr std::int64_t repeats = 64;
  std::vector<Footprint> footprints;
  for (const std::int64_t more : {1, 2}) {
    footprints.push_back({.ring = {0, 0, line_bytes, lines + more},
                          .bytes = (lines + more) * line_bytes,
                          .samples = lines + more,
                          .repeats = repeats,
                          .share = 1});
  }
  const auto seen = retained(execute, subject, footprints);
  return overflows_evenly(seen[0], seen[1]);
}

}  // namespace tomograph::cache
