#include "analysis.hpp"

Latency typical(std::span<const double> cycles) {
  return {tomograph::analysis::median(cycles), tomograph::analysis::median_interval(cycles, 0.99)};
}
