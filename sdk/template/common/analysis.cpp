#include "analysis.hpp"

#include "tomograph/analysis/median_fact.hpp"

tomograph::Fact latency_fact(const char* key, std::span<const double> cycles, const char* evidence) {
  return tomograph::analysis::median_fact(key, cycles, evidence);
}
