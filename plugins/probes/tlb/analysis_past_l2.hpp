#ifndef TOMOGRAPH_TLB_ANALYSIS_PAST_L2_HPP
#define TOMOGRAPH_TLB_ANALYSIS_PAST_L2_HPP

#include <cstdint>
#include <string>
#include <vector>

/// Whether there is a level that walks within L2 cannot show, since it holds more pages than they visit. Pure.
namespace tomograph::tlb {

/// Extra latencies of walks over as many lines, which L2 does not hold, on few pages and on many. Unit: cycles.
struct WalksPastL2 {
  std::int64_t few_pages = 0;
  std::vector<double> of_few;
  std::int64_t many_pages = 0;
  std::vector<double> of_many;
};

/// Why there may be a level that holds the few pages and not the many: more visits of many pages take longer than the
/// upper quartile of the few do. Empty if they do not. The upper quartile ignores visits of lines that L2 holds all the
/// same.
[[nodiscard]] std::string level_past_l2(const WalksPastL2& walks);

}  // namespace tomograph::tlb

#endif
