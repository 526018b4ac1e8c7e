#ifndef TOMOGRAPH_ANALYSIS_MEDIAN_FACT_HPP
#define TOMOGRAPH_ANALYSIS_MEDIAN_FACT_HPP

#include <span>
#include <string>

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/fact.hpp"

namespace tomograph::analysis {

/// The fact `key`: the median of `sample`, with the interval of `median_interval` and its coverage as confidence. The
/// method is "median"; rare outliers do not change it. `evidence` names the curve that holds the sample.
/// @throws std::invalid_argument if the sample is empty, or unless 0 < confidence < 1.
[[nodiscard]] Fact median_fact(std::string key, std::span<const double> sample, std::string evidence,
                               double confidence = confidence::median_interval);

/// Widens the fact's interval, which it must have, by what no repetition shows: the values of two runs may be up to
/// `factor` times as large as each other.
void widen(Fact& fact, double factor);

}  // namespace tomograph::analysis

#endif
