#include "analysis_throughput.hpp"

#include <algorithm>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::dsmem {

double bytes_per_cycle(const Runs& runs) {
  const double cycles = analysis::trimmed_mean(runs.extended.cycles, 0) - analysis::trimmed_mean(runs.brief.cycles, 0);
  if (!(cycles > 0)) return 0;
  return static_cast<double>((runs.long_passes - runs.short_passes) * runs.brief.pass_bytes) / cycles;
}

double bytes_per_second(const Runs& runs) {
  const double seconds = 1e-9 * (runs.extended.nanoseconds - runs.brief.nanoseconds);
  if (!(seconds > 0)) return 0;
  const auto bytes = static_cast<double>((runs.long_passes - runs.short_passes) * runs.brief.pass_bytes);
  return bytes * static_cast<double>(runs.brief.cycles.size()) / seconds;
}

const Measurement& best(std::span<const Measurement> all, Operation operation, Space space,
                        Estimate Measurement::*value) {
  return *std::ranges::max_element(all, {}, [&](const Measurement& one) {
    return one.request.operation == operation && one.request.space == space ? (one.*value).value : -1;
  });
}

const Measurement& best_exchange(std::span<const Measurement> all) {
  return *std::ranges::max_element(all, {}, [](const Measurement& one) {
    const bool exchanges = one.request.operation == Operation::load && one.request.space == Space::cluster &&
                           (one.request.partner == Partner::next || one.request.partner == Partner::spread);
    return exchanges ? one.per_sm.value : -1;
  });
}

}  // namespace tomograph::dsmem
