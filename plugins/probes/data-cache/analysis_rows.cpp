#include "analysis_rows.hpp"

#include <algorithm>
#include <map>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::data_cache {

namespace {

/// The share of a conflict by which an open row shortens a load, at least. A closed row must only be opened, which
/// takes a third of the time from one opening to the next (tRCD and tRC of JEDEC JESD235, JESD250); half of that is
/// nearer to it than to nothing.
constexpr double least_saved = 1.0 / 6;

}  // namespace

bool shares_bank(const NearLine& near, double conflict) {
  const auto late = std::ranges::count_if(near.after_witnesses, [&](double delay) { return 2 * delay > conflict; });
  return 2 * late > std::ssize(near.after_witnesses);
}

bool shares_row(const NearLine& near, double conflict) {
  return shares_bank(near, conflict) && 2 * near.after_line < conflict;
}

std::optional<std::int64_t> run_around(std::int64_t line, const std::set<std::int64_t>& mates,
                                       const std::set<std::int64_t>& tested) {
  if (mates.empty()) return std::nullopt;
  std::int64_t first = line;
  std::int64_t last = line;
  while (mates.contains(first - 1)) --first;
  while (mates.contains(last + 1)) ++last;
  if (!tested.contains(first - 1) || !tested.contains(last + 1)) return std::nullopt;
  return last - first + 1;
}

std::optional<Majority> majority(std::span<const std::int64_t> results) {
  std::map<std::int64_t, std::size_t> counts;
  for (const std::int64_t result : results) ++counts[result];
  const auto most = std::ranges::max_element(counts, {}, [](const auto& count) { return count.second; });
  if (most == counts.end() || 2 * most->second <= results.size()) return std::nullopt;
  return Majority{most->first, most->second, results.size()};
}

std::optional<OpenRows> open_rows(std::span<const RowDelays> delays) {
  if (delays.size() < 2) return std::nullopt;
  const auto saved = [](const RowDelays& at, std::size_t bank) { return at.other_row[bank] - at.same_row[bank]; };
  std::vector<double> conflicts;
  for (std::size_t bank = 0; bank < delays.front().same_row.size(); ++bank) {
    conflicts.push_back(saved(delays.front(), bank));
  }
  if (conflicts.empty()) return std::nullopt;
  const double least = least_saved * analysis::median(conflicts);
  std::optional<OpenRows> found;
  for (const RowDelays& at : delays.subspan(1)) {
    std::vector<std::int64_t> are_open;
    for (std::size_t bank = 0; bank < conflicts.size(); ++bank) are_open.push_back(saved(at, bank) > least ? 1 : 0);
    const auto most = majority(are_open);
    if (!most) return std::nullopt;
    const OpenRows here{most->value == 1, most->agreeing, most->results};
    if (found && found->stay_open != here.stay_open) return std::nullopt;
    if (!found || here.agreeing < found->agreeing) found = here;
  }
  return found;
}

}  // namespace tomograph::data_cache
