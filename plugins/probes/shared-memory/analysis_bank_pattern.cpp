#include "analysis_bank_pattern.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

namespace tomograph::shared_memory {

namespace {

struct Run {
  std::size_t first = 0;
  std::size_t length = 0;
};

std::vector<Run> runs_of(const std::vector<bool>& conflicts) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < conflicts.size(); ++i) {
    if (!conflicts[i]) continue;
    if (i == 0 || !conflicts[i - 1]) runs.push_back({i, 0});
    ++runs.back().length;
  }
  return runs;
}

bool predicts(const BankPattern& pattern, std::int64_t distance) {
  return distance >= pattern.count * pattern.width && distance / pattern.interleave % pattern.count == 0;
}

}  // namespace

std::optional<BankPattern> bank_pattern(const std::vector<bool>& conflicts, std::int64_t unit) {
  if (unit < 1) throw std::invalid_argument("the unit of distances is not positive");
  const std::vector<Run> runs = runs_of(conflicts);
  if (runs.size() < 2) return std::nullopt;
  const auto bytes = [unit](std::size_t steps) { return static_cast<std::int64_t>(steps) * unit; };
  const std::int64_t first = bytes(runs[0].first + 1);
  const std::int64_t period = bytes(runs[1].first - runs[0].first);
  BankPattern pattern;
  pattern.interleave = bytes(runs[0].length);
  if (period % pattern.interleave != 0) return std::nullopt;
  pattern.count = period / pattern.interleave;
  if (first % pattern.count != 0) return std::nullopt;
  pattern.width = first / pattern.count;
  for (std::size_t i = 0; i < conflicts.size(); ++i) {
    if (predicts(pattern, bytes(i + 1)) != conflicts[i]) return std::nullopt;
  }
  return pattern;
}

std::int64_t bank_passes(const BankPattern& pattern, std::int64_t together, std::int64_t bytes,
                         std::span<const std::int64_t> offsets) {
  if (together < 1 || bytes < 1 || pattern.count < 1 || pattern.width < 1 || pattern.interleave < 1) {
    throw std::invalid_argument("a bank pattern, lanes or bytes are not positive");
  }
  std::int64_t sum = 0;
  while (!offsets.empty()) {
    const auto served = std::min(offsets.size(), static_cast<std::size_t>(together));
    std::map<std::int64_t, std::set<std::int64_t>> rows;
    for (const std::int64_t offset : offsets.first(served)) {
      for (std::int64_t share = offset / pattern.interleave; share * pattern.interleave < offset + bytes; ++share) {
        const std::int64_t address = std::max(offset, share * pattern.interleave);
        rows[share % pattern.count].insert(address / (pattern.count * pattern.width));
      }
    }
    std::size_t most = 0;
    for (const auto& [bank, touched] : rows) most = std::max(most, touched.size());
    sum += static_cast<std::int64_t>(most);
    offsets = offsets.subspan(served);
  }
  return sum;
}

std::optional<double> cluster_threshold(std::span<const double> values, double least) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  std::size_t widest = 0;
  double gap = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i] - sorted[i - 1] <= gap) continue;
    gap = sorted[i] - sorted[i - 1];
    widest = i;
  }
  if (widest == 0 || gap < least) return std::nullopt;
  const double spread = std::max(sorted[widest - 1] - sorted.front(), sorted.back() - sorted[widest]);
  if (gap < 4 * spread) return std::nullopt;
  return (sorted[widest - 1] + sorted[widest]) / 2;
}

bool follow_passes(std::span<const double> times, std::span<const std::int64_t> passes) {
  if (times.size() != passes.size()) throw std::invalid_argument("there is not one prediction for each time");
  std::map<std::int64_t, std::pair<double, double>> range;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const auto [entry, is_new] = range.try_emplace(passes[i], times[i], times[i]);
    entry->second.first = std::min(entry->second.first, times[i]);
    entry->second.second = std::max(entry->second.second, times[i]);
  }
  double before = -std::numeric_limits<double>::infinity();
  for (const auto& [predicted, seen] : range) {
    if (seen.first <= before) return false;
    before = seen.second;
  }
  return true;
}

}  // namespace tomograph::shared_memory
