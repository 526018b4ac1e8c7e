#include "exporting/verdicts.hpp"

#include "comparing/comparison.hpp"

namespace tomograph::host {

Json verdicts_on(const Topology& first, const Topology& other) {
  Json verdicts = Json::object();
  for (const FactDifference& difference : compare(first, other, {})) {
    const Verdict verdict = difference.verdict;
    const bool is_in_both = verdict != Verdict::only_a && verdict != Verdict::only_b;
    if (is_in_both && verdict != Verdict::same) verdicts[difference.key] = to_string(verdict);
  }
  return verdicts;
}

}  // namespace tomograph::host
