#include "analysis_misses.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace tomograph::tlb {

std::vector<bool> missing(const ExtraLatency& extra_latency, const Level& level) {
  std::vector<bool> result;
  const auto medians = extra_latency.medians();
  for (std::size_t visit = 0; visit < extra_latency.visits; ++visit) {
    std::size_t misses = 0;
    for (std::size_t pass = 0; pass < extra_latency.passes(); ++pass) {
      misses += extra_latency.at(pass, visit) > level.threshold() ? 1 : 0;
    }
    // A delay of one visit in 1,000 is a miss once in 1,000 times with one pass, in 330 with three, in 1e5 with five.
    result.push_back(medians[visit] > level.threshold() || (level.sharp() && 4 * misses > extra_latency.passes()));
  }
  return result;
}

double false_miss_share(const Level& level) {
  // Delays of other causes, such as interrupts. Chosen by hand.
  constexpr double delayed = 0.001;
  const double deviations = (level.miss - level.hit) / 2 / level.noise;
  return std::erfc(deviations / std::sqrt(2.0)) / 2 + delayed;
}

double most_chance_misses(double share, double visits) {
  // At 1.5 times the share, the margin is 4.9 standard deviations and 3 visits: exceeded once in 640,000 times at most,
  // where two misses are expected (Poisson).
  const double expected = share * visits;
  return 1.5 * expected + 6 * std::sqrt(expected) + 3;
}

double most_like_control(const Level& level, double visits) {
  if (level.control_visits == 0) return 0;
  const double expected = level.control_above / level.control_visits * visits;
  // Both numbers vary.
  return expected + 3 * std::sqrt(expected * (1 + visits / level.control_visits));
}

std::optional<Fill> distances_between(const std::vector<std::int64_t>& pages, std::vector<bool> missed) {
  missed.front() = false;
  Fill result;
  result.stride = pages[1] - pages[0];
  std::optional<std::size_t> last;
  std::map<std::int64_t, std::size_t> counts;
  for (std::size_t page = 0; page < missed.size(); ++page) {
    if (!missed[page]) continue;
    if (last) ++counts[pages[page] - pages[*last]];
    if (last) result.distance.push_back(static_cast<double>(pages[page] - pages[*last]));
    last = page;
  }
  if (counts.empty()) return std::nullopt;
  const auto most = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
  result.bytes = most->first;
  result.share = static_cast<double>(most->second) / static_cast<double>(result.distance.size());
  last.reset();
  for (std::size_t page = 0; page < missed.size(); ++page) {
    if (!missed[page]) continue;
    if (last && (pages[page] - pages[*last]) % result.bytes != 0) result.regular_from = pages[page];
    last = page;
  }
  return result;
}

std::int64_t next_number(std::int64_t low, std::int64_t high, const std::vector<bool>& missed) {
  std::vector<std::int64_t> promising;
  for (std::int64_t page = low; page < high; ++page) {
    if (!missed[static_cast<std::size_t>(page)]) continue;
    for (const std::int64_t pages : {page, page + 1}) {
      if (pages > low && pages < high && (promising.empty() || promising.back() != pages)) promising.push_back(pages);
    }
  }
  return promising.empty() ? low + (high - low) / 2 : promising[promising.size() / 2];
}

}  // namespace tomograph::tlb
