#include "analysis_plateau.hpp"

#include <cmath>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::links {

std::optional<Plateau> plateau(std::span<const ChasePoint> points) {
  // Ten standard deviations where a run varies by 0.3 %: noise alone leaves a plateau less than once in 1e20 points.
  constexpr double tolerance = 0.03;
  // Two points of a curve that rises by an octave of its miss rate may lie within the tolerance; three do not.
  constexpr std::size_t least = 3;
  Plateau found;
  for (const ChasePoint& point : points) {
    const double first = analysis::median(points.front().seconds);
    if (std::abs(analysis::median(point.seconds) / first - 1) > tolerance) break;
    ++found.points;
    found.bytes = point.bytes;
    found.seconds.insert(found.seconds.end(), point.seconds.begin(), point.seconds.end());
  }
  return found.points < least ? std::nullopt : std::optional(found);
}

}  // namespace tomograph::links
