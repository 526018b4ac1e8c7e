#include "tomograph/analysis/clock_step.hpp"

#include <cmath>
#include <cstdint>
#include <numeric>

namespace tomograph::analysis {

double clock_step(std::span<const double> latencies) {
  std::int64_t step = 0;
  for (const double one : latencies) step = std::gcd(step, std::llround(one - latencies.front()));
  // Differences that all happen to be multiples of more than this show a second cause, not the clock.
  constexpr std::int64_t coarsest = 64;
  return step == 0 || step > coarsest ? 1 : static_cast<double>(step);
}

}  // namespace tomograph::analysis
