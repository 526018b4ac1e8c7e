#include "analysis.hpp"

#include <utility>

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/robust_statistics.hpp"

using namespace tomograph;

Fact latency_fact(std::string key, std::span<const double> cycles, std::string evidence) {
  const auto interval = analysis::median_interval(cycles, confidence::median_interval);
  return {.key = std::move(key),
          .value = analysis::median(cycles),
          .method = "median",
          .confidence = interval.coverage,
          .interval = Interval{interval.low, interval.high},
          .samples = cycles.size(),
          .evidence = std::move(evidence)};
}
