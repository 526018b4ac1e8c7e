#include "analysis_knee.hpp"

#include <cmath>

namespace tomograph::cache {

bool overflows_evenly(const Retained& one_more, const Retained& two_more) {
  const auto first = static_cast<double>(one_more.sampled - one_more.hits);
  const auto second = static_cast<double>(two_more.sampled - two_more.hits);
  const bool one_set = 2 * first > static_cast<double>(one_more.sampled);
  constexpr double deviations = 4;  // false alarm 3e-5 (one-sided normal)
  return one_set || 2 * first - second < deviations * std::sqrt(4 * first + second);
}

}  // namespace tomograph::cache
