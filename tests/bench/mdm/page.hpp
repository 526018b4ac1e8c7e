#ifndef TOMOGRAPH_BENCH_MDM_PAGE_HPP
#define TOMOGRAPH_BENCH_MDM_PAGE_HPP

#include <string>
#include <utility>
#include <vector>

#include "score.hpp"

namespace tomograph::bench {

using Results = std::vector<std::pair<std::string, std::vector<Case>>>;

/// Errors by workload on one configuration, with the letter's means below.
[[nodiscard]] std::string workload_table(const std::vector<Case>& cases);

/// A row for each type of workloads: mean errors on one configuration.
[[nodiscard]] std::string summary(const Results::value_type& result);

/// The whole page. The first result is that of Table 1; `algorithms` are those of plugins/workloads on the same
/// machine.
[[nodiscard]] std::string page(const Results& results, const std::vector<Case>& algorithms);

/// What the profiles of all workloads hold, and how fast each runs in the simulator.
[[nodiscard]] std::string details(const std::vector<Case>& cases);

/// How fast the simulator runs regular and divergent workloads, and how many times faster the models are.
[[nodiscard]] std::string speed_text(const Results& results);

}  // namespace tomograph::bench

#endif
