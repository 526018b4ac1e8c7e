#include "tomograph/analysis/agreement.hpp"

#include <algorithm>

namespace tomograph::analysis {

bool agree(const Statement& one, const Statement& other) {
  return one.range.low <= other.range.high && other.range.low <= one.range.high;
}

double confidence_beside(const Statement& own, const Statement& other) {
  constexpr double certain = 0.99;  // what README and schema promise: right 99 times in 100
  if (agree(own, other)) return own.confidence;
  const double both = own.confidence * other.confidence;
  const double right = both < 1 ? own.confidence * (1 - other.confidence) / (1 - both) : 0;
  return other.confidence < certain ? right : std::min(right, 0.5);
}

}  // namespace tomograph::analysis
