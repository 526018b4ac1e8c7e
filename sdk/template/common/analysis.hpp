#ifndef ANALYSIS_HPP
#define ANALYSIS_HPP

#include <span>

#include "tomograph/fact.hpp"

/// The fact `key`: the median latency, which rare long delays do not change, with an interval that covers the true
/// median at the published confidence. `evidence` names the curve. @throws std::invalid_argument if the sample is
/// empty.
[[nodiscard]] tomograph::Fact latency_fact(const char* key, std::span<const double> cycles, const char* evidence);

#endif
