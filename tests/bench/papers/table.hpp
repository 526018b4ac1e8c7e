#ifndef TOMOGRAPH_BENCH_PAPERS_TABLE_HPP
#define TOMOGRAPH_BENCH_PAPERS_TABLE_HPP

#include <map>
#include <string>

#include "measurement.hpp"
#include "paper.hpp"

namespace tomograph::bench {

/// What was measured of the simulated GPUs, by name.
using Measurements = std::map<std::string, Measurement>;

struct Page {
  std::string markdown;
  std::vector<std::string> disagreements;  ///< one line for each row that is not as it says
};

/// The paper's values beside those recovered.
[[nodiscard]] Page page(const Paper& paper, const Measurements& measurements);

}  // namespace tomograph::bench

#endif
