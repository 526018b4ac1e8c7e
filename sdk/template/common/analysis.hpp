#ifndef ANALYSIS_HPP
#define ANALYSIS_HPP

#include <span>
#include <string>

#include "tomograph/fact.hpp"

/// The fact `key`: the median latency, which rare long delays do not change, with an interval that covers the true
/// median at the published confidence. `evidence` names the curve. @throws std::invalid_argument if the sample is
/// empty.
[[nodiscard]] tomograph::Fact latency_fact(std::string key, std::span<const double> cycles, std::string evidence);

#endif
