#include "analysis_past_l2.hpp"

#include <algorithm>
#include <cmath>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::tlb {

std::string level_past_l2(const WalksPastL2& walks) {
  constexpr double usual = 0.25;  // of the few
  const double limit = analysis::quantile(walks.of_few, 1 - usual);
  const auto above = std::ranges::count_if(walks.of_many, [&](double one) { return one > limit; });
  const auto few = static_cast<double>(walks.of_few.size());
  const auto many = static_cast<double>(walks.of_many.size());
  const double share = static_cast<double>(above) / many;
  // Five standard errors: false alarm 3e-7 for independent visits. Both shares are drawn.
  if (share <= usual + 5 * std::sqrt(usual * (1 - usual) * (1 / few + 1 / many))) return {};
  return "where L2 does not hold the lines, " + std::to_string(std::lround(100 * share)) + " % of visits of " +
         std::to_string(walks.many_pages) + " pages take longer than 75 % of those of " +
         std::to_string(walks.few_pages) + ", and L2 holds no lines of more: a level may hold these";
}

}  // namespace tomograph::tlb
