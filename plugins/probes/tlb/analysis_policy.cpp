#include "analysis_policy.hpp"

#include <algorithm>
#include <cmath>

#include "tomograph/analysis/confidence.hpp"
#include "tomograph/analysis/miss_pattern.hpp"
#include "tomograph/analysis/robust_statistics.hpp"
#include "tomograph/tlb/eviction.hpp"

namespace tomograph::tlb {

double miss_share(const Level& level, std::span<const double> extra_latency) {
  // Delays are rarer than this; the bias on either side is the same.
  constexpr double trimmed = 0.05;
  return (analysis::trimmed_mean(extra_latency, trimmed) - level.hit) / (level.miss - level.hit);
}

double misread_share(const Level& level) {
  // Delays of other causes, and the most that the classifier of traces accepts. Chosen by hand.
  constexpr double delayed = 0.002;
  constexpr double most = 0.4;
  return std::min(most, std::erfc((level.miss - level.hit) / 2 / level.noise / std::sqrt(2.0)) / 2 + delayed);
}

std::ptrdiff_t settling_visits(const Level& level, std::span<const double> extra_latency) {
  const std::size_t half = extra_latency.size() / 2;
  return miss_share(level, extra_latency.subspan(half)) > all_miss ? static_cast<std::ptrdiff_t>(half) : 0;
}

bool overflows(double miss_share, std::size_t pages) {
  // Half of the smallest share that an overflow can have.
  constexpr double half = 0.5;
  return miss_share > half / static_cast<double>(pages);
}

Policy policy_of(std::int64_t entries, const std::array<MissShare, 2>& shares) {
  // Normal noise alone is called a policy with probability 1.4e-3 for each comparison.
  constexpr double errors = 3;
  // The cost of a miss may be 5 % off, and the model 4 %. Chosen by hand.
  constexpr double nearly_all = 0.95;
  constexpr double model = 0.04;
  Policy policy;
  bool some_stay = true;
  bool like_random = true;
  for (const MissShare& share : shares) {
    const double reach = errors * share.error;
    some_stay = some_stay && share.misses + reach < nearly_all;
    like_random = like_random && std::abs(share.misses - random_miss_share(entries, share.pages)) < model + reach;
  }
  const double more = shares[1].misses - shares[0].misses;
  if (!some_stay || more < errors * std::hypot(shares[0].error, shares[1].error)) return policy;
  policy.name = like_random ? "random" : "not-lru";
  // Other policies may give the same shares as random replacement.
  policy.confidence = like_random ? confidence::tlb::random_by_shares : confidence::tlb::not_lru_by_shares;
  return policy;
}

Policy policy_of(const Level& level, std::span<const double> extra_latency, std::span<const std::uint32_t> pages,
                 std::size_t ways) {
  // The most misread visits of which traces of several hundred visits still tell a policy. Chosen by hand.
  constexpr double readable = 0.03;
  Policy policy;
  const double misread = misread_share(level);
  if (misread > readable) {
    policy.reason = "not every visit to a full set misses, and noise hides which of them do";
    return policy;
  }
  std::vector<analysis::Access> accesses(extra_latency.size());
  std::ranges::transform(extra_latency, accesses.begin(), [&](double cycles) {
    return cycles > level.threshold() ? analysis::Access::miss : analysis::Access::hit;
  });
  const auto verdict = analysis::classify_replacement(accesses, pages, ways, misread);
  policy.confidence = verdict.confidence;
  const bool seems_random =
      verdict.policy == analysis::Replacement::random || verdict.policy == analysis::Replacement::way_weighted;
  if (seems_random) {
    // Bits of use make periods of many passes.
    const double independent = analysis::p_value_of_independence(verdict.memory);
    if (independent < analysis::surely_dependent) {
      policy.name = "not-lru";
      policy.confidence = confidence::from_error(independent);
      return policy;
    }
  }
  switch (verdict.policy) {
    case analysis::Replacement::deterministic: policy.name = "not-lru"; break;
    case analysis::Replacement::random: policy.name = "random"; break;
    case analysis::Replacement::way_weighted: policy.name = "way-weighted"; break;
    default: policy.reason = "too few replacements can be told from noise"; break;
  }
  return policy;
}

}  // namespace tomograph::tlb
