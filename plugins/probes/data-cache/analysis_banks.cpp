#include "analysis_banks.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>

#include "tomograph/analysis/robust_statistics.hpp"

namespace tomograph::data_cache {

namespace {

/// The 0.1 quantile of a normal distribution lies so many standard deviations below its median.
constexpr double tenth_quantile = 1.2816;

/// Disjoint sets of numbers.
class Groups {
 public:
  explicit Groups(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), std::size_t{0}); }
  std::size_t root(std::size_t one) {
    while (parent_[one] != one) one = parent_[one] = parent_[parent_[one]];
    return one;
  }
  void unite(std::size_t one, std::size_t other) { parent_[root(one)] = root(other); }

 private:
  std::vector<std::size_t> parent_;
};

/// Conflicts without those of two lines that others do not confirm. Lines of a bank conflict with the same lines, but
/// for those of their row; a pair of two banks that is late by chance has no line in common.
std::vector<LinePair> confirmed_by_others(const std::vector<LinePair>& conflicts, std::size_t lines) {
  std::vector<std::vector<std::size_t>> partners(lines);
  for (const auto& [one, other] : conflicts) {
    partners[one].push_back(other);
    partners[other].push_back(one);
  }
  for (auto& own : partners) std::ranges::sort(own);
  std::vector<LinePair> kept;
  for (const auto& [one, other] : conflicts) {
    std::vector<std::size_t> common;
    std::ranges::set_intersection(partners[one], partners[other], std::back_inserter(common));
    const std::size_t expected = std::min(partners[one].size(), partners[other].size()) - 1;
    if (2 * common.size() >= expected) kept.emplace_back(one, other);
  }
  return kept;
}

}  // namespace

std::vector<LinePair> all_pairs(std::size_t lines) {
  std::vector<LinePair> pairs;
  for (std::size_t i = 0; i < lines; ++i) {
    for (std::size_t j = 0; j < i; ++j) pairs.emplace_back(j, i);
  }
  return pairs;
}

UsualLatency usual_latency(std::span<const double> latencies) {
  const double median = analysis::median(latencies);
  const double deviation = std::max((median - analysis::quantile(latencies, 0.1)) / tenth_quantile, 1.0);
  return {median, deviation};
}

void ConflictSearch::add(std::span<const double> latencies) {
  if (suspects_.empty()) return;
  ++tried_;
  if (tried_ == 1) usual_ = usual_latency(latencies);
  seen_.emplace_back(latencies.begin(), latencies.end());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < suspects_.size(); ++i) {
    fast_[i] += latencies[i] <= usual_.late(late_deviations_) ? 1 : 0;
    if (fast_[i] > most_fast) continue;
    suspects_[kept] = suspects_[i];
    fast_[kept] = fast_[i];
    for (auto& of_trial : seen_) of_trial[kept] = of_trial[i];
    ++kept;
  }
  suspects_.resize(kept);
  fast_.resize(kept);
  for (auto& of_trial : seen_) of_trial.resize(kept);
}

std::vector<double> ConflictSearch::medians() const {
  std::vector<double> medians;
  std::vector<double> latencies(seen_.size());
  for (std::size_t i = 0; i < suspects_.size(); ++i) {
    std::ranges::transform(seen_, latencies.begin(), [i](const auto& of_trial) { return of_trial[i]; });
    medians.push_back(analysis::median_in_place(latencies));
  }
  return medians;
}

std::size_t Banks::holding(std::size_t line) const {
  const auto bank = std::ranges::find_if(lines, [&](const auto& own) { return std::ranges::binary_search(own, line); });
  return static_cast<std::size_t>(bank - lines.begin());
}

Banks group_by_bank(const std::vector<LinePair>& conflicts, std::size_t lines) {
  const std::vector<LinePair> confirmed = confirmed_by_others(conflicts, lines);
  Groups groups(lines);
  for (const auto& [one, other] : confirmed) groups.unite(one, other);
  std::map<std::size_t, std::vector<std::size_t>> members;
  for (std::size_t line = 0; line < lines; ++line) members[groups.root(line)].push_back(line);
  Banks banks{.lines = {}, .conflicts = confirmed};
  for (const auto& [root, own] : members) {
    banks.lines.push_back(own);
    banks.pairs += own.size() * (own.size() - 1) / 2;
  }
  return banks;
}

CommonBanks common_banks(const Banks& both, const std::vector<bool>& of_first) {
  CommonBanks common;
  for (const auto& bank : both.lines) {
    const auto first = static_cast<std::size_t>(std::ranges::count_if(bank, [&](auto line) { return of_first[line]; }));
    const std::size_t pairs = first * (bank.size() - first);
    common.banks += pairs > 0 ? 1 : 0;
    common.pairs += pairs;
  }
  const auto between = [&](const LinePair& pair) { return of_first[pair.first] != of_first[pair.second]; };
  common.conflicts = static_cast<std::size_t>(std::ranges::count_if(both.conflicts, between));
  return common;
}

}  // namespace tomograph::data_cache
