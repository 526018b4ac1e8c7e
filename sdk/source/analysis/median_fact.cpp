#include "tomograph/analysis/median_fact.hpp"

#include <utility>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::analysis {

Fact median_fact(std::string key, std::span<const double> sample, std::string evidence, double confidence) {
  const MedianInterval interval = median_interval(sample, confidence);
  return {.key = std::move(key),
          .value = median(sample),
          .method = "median",
          .confidence = interval.coverage,
          .interval = tomograph::Interval{interval.low, interval.high},
          .samples = sample.size(),
          .evidence = std::move(evidence)};
}

void widen(Fact& fact, double factor) {
  fact.interval->low /= factor;
  fact.interval->high *= factor;
}

}  // namespace tomograph::analysis
