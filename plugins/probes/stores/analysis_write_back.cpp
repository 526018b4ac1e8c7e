#include "analysis_write_back.hpp"

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::stores {

std::optional<bool> is_write_back(const RefillTimes& times) {
  constexpr double clearly = 1.1;  // twice as far apart as runs of the same kind
  constexpr double hardly = 1.05;  // runs of the same kind differ by less
  const auto loads = analysis::median_interval(times.after_loads, confidence::stores::interval);
  const auto stores = analysis::median_interval(times.after_stores, confidence::stores::interval);
  if (stores.low > clearly * loads.high) return true;
  if (stores.high < hardly * loads.low) return false;
  return std::nullopt;
}

}  // namespace tomograph::stores
