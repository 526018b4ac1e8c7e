#include "tomograph/tlb/entries.hpp"

#include <algorithm>
#include <string>

#include "tomograph/analysis/confidence.hpp"

namespace tomograph::tlb {

double resting_on_entries(const Session& session, std::int64_t levels, double confidence) {
  for (std::int64_t level = 1; level <= levels; ++level) {
    const auto entries = session.fact_record("tlb.l" + std::to_string(level) + ".entries");
    if (!entries) continue;
    const double claimed = entries->value("confidence", confidence);
    if (claimed < confidence::tlb::entries_by_sets) confidence = std::min(confidence, claimed);
  }
  return confidence;
}

}  // namespace tomograph::tlb
