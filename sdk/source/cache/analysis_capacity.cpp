#include "analysis_capacity.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "tomograph/cache/retained_bytes.hpp"

namespace tomograph::cache {

namespace {

/// Share of the lines that tests evict on average: of footprints four times as large as the capacity, 1.2 %.
constexpr double disturbance = 0.012;

/// Logarithm of how much likelier the misses are with one line too many than if `misread_rate` explains them (Poisson).
double log_odds_of_overflow(const Retained& seen, double misread_rate) {
  const auto tested = static_cast<double>(seen.sampled);
  const double missing = tested / static_cast<double>(seen.nodes);
  const auto misses = static_cast<double>(seen.sampled - seen.hits);
  return misses * std::log1p(missing / (misread_rate * tested)) - missing;
}

/// The third largest count. Noise raises the largest ones; footprints just above the knee, which leave sets of an
/// uneven index unfilled, and large ones, whose tests evict lines, lower the mean.
double third_most(std::vector<double> counted) {
  if (counted.empty()) return 0;
  const auto third = counted.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, counted.size() - 1));
  std::ranges::nth_element(counted, third, std::greater<>{});
  return *third;
}

/// Standard deviation of the counts.
double scatter_of(std::span<const double> counted) {
  if (counted.size() < 2) return 0;
  const double mean = std::accumulate(counted.begin(), counted.end(), 0.0) / static_cast<double>(counted.size());
  double squares = 0;
  for (const double one : counted) squares += (one - mean) * (one - mean);
  return std::sqrt(squares / static_cast<double>(counted.size() - 1));
}

/// How much more the largest footprint retains than the smallest. Sets that fill unevenly are not all full yet: what
/// they still lack is less than what they gained.
double rise_of(std::span<const SweepPoint> overfull, double stride) {
  if (overfull.size() < 2) return 0;
  return std::max(0.0, overfull.back().seen.undisturbed() - overfull.front().seen.undisturbed()) * stride;
}

/// Sets the bounds that follow from the counts.
void bound(Capacity& result, std::int64_t stride) {
  // Three standard errors: 1.3e-3 false alarms of a normal; or 0.5 %, since testing disturbs.
  constexpr double unnoticed = 0.005;
  // An uneven index loses 5 % and more. A count that is less sure than half of that agrees with anything.
  constexpr double most_error = 0.025;
  const auto first_miss = static_cast<double>(result.first_miss_bytes);
  const double excess = std::max(result.retained_bytes, result.most_counted) - first_miss;
  const double allowed = std::max(3 * result.retained_error, unnoticed * first_miss);
  result.sharp = result.plateau || (excess <= allowed && allowed <= most_error * first_miss);
  result.most_bytes = (1 + disturbance) * (result.retained_bytes + 3 * result.retained_error + 2 * result.scatter +
                                           result.still_filling) +
                      static_cast<double>(stride);
}

}  // namespace

bool fits(const Retained& seen, const analysis::Threshold& threshold) {
  // The rate of the threshold comes from few loads, where a single one weighs much.
  constexpr double plausible_rate = 2e-4;
  const double misread = std::min(threshold.false_miss, plausible_rate) * static_cast<double>(seen.sampled);
  // Three standard deviations of a Poisson count: exceeded in 9 % of the cases at most, where 0.09 misses are expected.
  return static_cast<double>(seen.sampled - seen.hits) <= std::floor(misread + 3 * std::sqrt(misread));
}

KneeBytes knee_of(std::span<const SweepPoint> ascending, const analysis::Threshold& threshold) {
  constexpr double surely = 4.605;  // ln 100
  KneeBytes knee;
  double misread = 0;
  double tested = 0;
  bool all_surely_fit = true;
  bool all_fit = true;
  for (const auto& [bytes, seen] : ascending) {
    if (tested == 0 && !fits(seen, threshold)) return knee;
    // Before anything was seen, the first size itself tells the rate. Half a load more keeps it above 0.
    const double rate = tested == 0
                            ? (static_cast<double>(seen.sampled - seen.hits) + 0.5) / static_cast<double>(seen.sampled)
                            : (misread + 0.5) / tested;
    const double odds = log_odds_of_overflow(seen, rate);
    if (odds > surely) break;
    all_surely_fit = all_surely_fit && odds < -surely;
    all_fit = all_fit && odds < 0;
    if (all_surely_fit) knee.surely_fits = bytes;
    if (all_fit) {
      knee.last = bytes;
      misread += static_cast<double>(seen.sampled - seen.hits);
      tested += static_cast<double>(seen.sampled);
    }
    knee.may_fit = bytes;
  }
  return knee;
}

std::vector<std::int64_t> overfull_sizes(std::int64_t first_miss_bytes, std::int64_t stride, std::int64_t largest) {
  const bool all_are_counted = first_miss_bytes / stride <= counted_lines;
  std::vector<std::int64_t> sizes;
  for (const double factor : {1.04, 1.12, 1.3, 1.6, 2.0, 3.0, 4.0}) {
    // Three sizes give a sampled cache its standard error (see count_retained). Larger ones take longer.
    if (!all_are_counted && (factor < 1.3 || factor > 2)) continue;
    const auto lines = static_cast<std::int64_t>(factor * static_cast<double>(first_miss_bytes)) / stride + 1;
    if (lines * stride <= largest) sizes.push_back(lines * stride);
  }
  return sizes;
}

void read_overfull(Capacity& result, std::span<const SweepPoint> overfull, std::int64_t stride, bool shared) {
  std::vector<RetainedBytes> sampled;
  std::vector<double> counted;
  std::vector<double> well_beyond;
  std::vector<std::int64_t> far_counts;
  for (const auto& [bytes, seen] : overfull) {
    const double here = seen.estimate() * static_cast<double>(stride);
    const double error = seen.standard_error() * static_cast<double>(stride);
    if (seen.counted()) counted.push_back(here);
    if (seen.counted() && bytes > result.first_miss_bytes * 5 / 4) well_beyond.push_back(here);
    if (error == 0 && is_far(bytes, result)) far_counts.push_back(seen.hits);
    if (error > 0 && bytes > result.first_miss_bytes * 5 / 4) {
      sampled.push_back({seen.undisturbed() * static_cast<double>(stride), error});
    }
  }
  result.still_filling = rise_of(overfull, static_cast<double>(stride));
  result.most_counted = counted.empty() ? 0 : std::ranges::max(counted);
  result.retained_bytes = third_most(std::move(counted));
  result.plateau = !shared && far_counts.size() >= 3 &&
                   std::ranges::adjacent_find(far_counts, std::not_equal_to<>{}) == far_counts.end();
  if (result.plateau) result.retained_bytes = static_cast<double>(far_counts.front() * stride);
  result.scatter = scatter_of(well_beyond);
  if (result.retained_bytes == 0 && !sampled.empty()) {
    const RetainedBytes level = level_of(sampled);
    result.retained_bytes = level.mean;
    result.retained_error = level.error;
  }
  bound(result, stride);
}

bool is_far(std::int64_t bytes, const Capacity& capacity) { return bytes > capacity.first_miss_bytes * 3 / 2; }

void read_undisturbed(Capacity& result, std::span<const SweepPoint> counted, std::int64_t stride) {
  std::vector<std::int64_t> lines;
  for (const SweepPoint& point : counted) lines.push_back(point.seen.hits);
  std::ranges::sort(lines, std::greater<>{});
  const double before = result.retained_bytes;
  result.plateau = lines.size() >= 2 && lines[0] == lines[1] && static_cast<double>(lines[1] * stride) >= before;
  if (lines.size() >= 2) result.retained_bytes = static_cast<double>(lines[1] * stride);
  bound(result, stride);
}

void read_behind(Capacity& result, std::int64_t lines, std::int64_t stride) {
  if (lines == 0) return;
  result.plateau = result.sharp = false;
  result.most_bytes += static_cast<double>(lines * stride);
}

void read_random(Capacity& result, const Estimate& at_random) {
  // Far beyond the disturbance and sampling of either count. Chosen by hand.
  constexpr double surely_more = 1.15;
  if (at_random.bytes > surely_more * std::max(result.retained_bytes, static_cast<double>(result.first_miss_bytes))) {
    result.retained_bytes = at_random.bytes;
    result.plateau = result.sharp = false;
  }
  result.most_bytes = std::max(result.most_bytes, (1 + disturbance) * (at_random.bytes + 3 * at_random.error));
}

std::int64_t Capacity::bytes(std::int64_t granule) const {
  // Lines of an overfull set come and go while they are counted, which may add a few; testing evicts some. Chosen by
  // hand: sharp knees of any policy stay below 2 %, or one standard deviation of the counts.
  constexpr double some = 0.02;
  const auto first_miss = static_cast<double>(first_miss_bytes);
  const double about = std::max(some, scatter / first_miss);
  const double excess = retained_bytes / first_miss - 1;
  // A cache holds what fits, whatever larger footprints retain.
  if (sampled ? sharp || excess < 0 : excess < (plateau ? 0 : about)) return first_miss_bytes;
  return static_cast<std::int64_t>(std::llround(retained_bytes / static_cast<double>(granule))) * granule;
}

}  // namespace tomograph::cache
