#include "analysis_plateau.hpp"

#include <cmath>

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/undisturbed.hpp"

namespace tomograph::links {

using analysis::Faster;

std::optional<Plateau> plateau(std::span<const ChasePoint> points) {
  // On simulated nodes a run varies by 0.3 %: ten standard deviations, which normal noise never exceeds.
  constexpr double tolerance = 0.03;
  constexpr std::size_t least = 3;  // two points of a rising curve may lie within the tolerance
  Plateau found;
  for (const ChasePoint& point : points) {
    const auto first = analysis::undisturbed(points.front().seconds, Faster::less, confidence::links::interval);
    const auto now = analysis::undisturbed(point.seconds, Faster::less, confidence::links::interval);
    const bool overlaps = now.low <= first.high && first.low <= now.high;
    if (!overlaps && std::abs(now.value / first.value - 1) > tolerance) break;
    ++found.points;
    found.bytes = point.bytes;
    found.seconds.insert(found.seconds.end(), point.seconds.begin(), point.seconds.end());
  }
  return found.points < least ? std::nullopt : std::optional(found);
}

}  // namespace tomograph::links
