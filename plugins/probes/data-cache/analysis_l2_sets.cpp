#include "analysis_l2_sets.hpp"

#include <algorithm>
#include <bit>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/poisson.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>
#include <random>

#include "tomograph/analysis/queue_policies.hpp"
#include "tomograph/analysis/tree_plru.hpp"
#include "tomograph/cache/subject.hpp"

namespace tomograph::data_cache {

namespace {

/// As often outside as beyond three deviations of a normal.
constexpr double outside = 0.0027;

/// The counts within one of their median, if so many are that lines do not fall into sets at random. An index then
/// shares them out evenly, and what exceeds it was late for another reason. Otherwise all counts.
std::vector<std::int64_t> even_counts(std::span<const std::int64_t> counts) {
  std::vector<std::int64_t> even(counts.begin(), counts.end());
  std::ranges::nth_element(even, even.begin() + std::ssize(even) / 2);
  const std::int64_t median = even[even.size() / 2];
  if (median < 2) return {counts.begin(), counts.end()};
  std::erase_if(even, [&](std::int64_t count) { return std::abs(count - median) > 1; });
  const boost::math::poisson_distribution<double> at_random(static_cast<double>(median));
  const double near = cdf(at_random, median + 1) - cdf(at_random, median - 2);
  const boost::math::binomial_distribution<double> all_near(static_cast<double>(counts.size()), near);
  const bool by_chance = cdf(boost::math::complement(all_near, static_cast<double>(even.size()) - 1)) > outside;
  return by_chance ? std::vector<std::int64_t>(counts.begin(), counts.end()) : even;
}

/// Variance of counts, at least that of counts of which one in `n + 1` differs by one: as many equal ones do not
/// exclude it (Laplace's rule of succession).
double variance_of(std::span<const std::int64_t> counts, double mean) {
  double sum = 0;
  for (const std::int64_t count : counts)
    sum += (static_cast<double>(count) - mean) * (static_cast<double>(count) - mean);
  const auto n = static_cast<double>(counts.size());
  return std::max(sum / (n - 1), n / ((n + 1) * (n + 1)));
}

/// The numbers that the mean of all counts may be: by Student's t and, where counts are at most two adjacent numbers,
/// by their shares (Clopper and Pearson 1934). An even index gives each set one of two such numbers, of which a few
/// counts may show one too rarely; but a line that is late by chance raises a count as well, so either may be right.
analysis::Interval mean_of(std::span<const std::int64_t> counts) {
  using Share = boost::math::binomial_distribution<double>;
  const auto n = static_cast<double>(counts.size());
  const double mean = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0})) / n;
  // The variance of few counts is itself uncertain.
  const boost::math::students_t_distribution<double> of_means(n - 1);
  const double reach =
      quantile(boost::math::complement(of_means, outside / 2)) * std::sqrt(variance_of(counts, mean) / n);
  analysis::Interval means{mean - reach, mean + reach};
  const auto [least, most] = std::ranges::minmax(counts);
  if (most > least + 1) return means;
  const auto most_of = [&](std::int64_t count) {  // the largest share of sets that may have another number than `count`
    const auto others = n - static_cast<double>(std::ranges::count(counts, count));
    return Share::find_upper_bound_on_p(n, others, outside / 2);
  };
  means.low = std::min(means.low, static_cast<double>(most) - most_of(most));
  means.high = std::max(means.high, static_cast<double>(least) + most_of(least));
  return means;
}

/// The numbers of sets that these counts of members allow.
analysis::Interval sets_of(std::span<const std::int64_t> counts, std::int64_t lines) {
  const analysis::Interval means = mean_of(counts);
  const auto all = static_cast<double>(lines);
  return {all / means.high, all / std::max(means.low, 1.0)};
}

analysis::Interval overlap(const analysis::Interval& one, const analysis::Interval& other) {
  return {std::max(one.low, other.low), std::min(one.high, other.high)};
}

bool is_empty(const analysis::Interval& interval) { return interval.low > interval.high; }

/// The number from `low` to `high` with the highest power of two as a factor; there is only one.
std::int64_t most_even(std::int64_t low, std::int64_t high) {
  std::int64_t step = 1;
  while ((low + 2 * step - 1) / (2 * step) * (2 * step) <= high) step *= 2;
  return (low + step - 1) / step * step;
}

/// The numbers in an interval that are multiples of a unit, in units.
struct Multiples {
  std::int64_t unit;
  std::int64_t first;
  std::int64_t last;

  [[nodiscard]] std::int64_t count() const { return last - first + 1; }
};

Multiples multiples_in(const analysis::Interval& interval, std::int64_t unit) {
  const auto one = static_cast<double>(unit);
  return {unit, static_cast<std::int64_t>(std::ceil(interval.low / one)),
          static_cast<std::int64_t>(std::floor(interval.high / one))};
}

/// Whether the multiple with the highest power of two as a factor, which becomes the number of sets, is one of
/// `told_apart`, too.
bool take_most_even(const Multiples& possible, std::int64_t told_apart, SetCount& sets) {
  if (possible.count() <= 0) return false;
  const std::int64_t likely = most_even(possible.first, possible.last);
  if (likely * possible.unit % told_apart != 0) return false;
  sets.value = likely * possible.unit;
  sets.doubt = std::min(static_cast<double>(possible.count()) / static_cast<double>(likely & -likely), 1.0);
  return true;
}

std::vector<bool> last(const std::vector<bool>& hits, std::size_t count) {
  return {hits.end() - static_cast<std::ptrdiff_t>(count), hits.end()};
}

std::size_t differences(const std::vector<bool>& one, const std::vector<bool>& other) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < one.size(); ++i) count += one[i] != other[i] ? 1 : 0;
  return count;
}

}  // namespace

std::optional<SetCount> count_sets(std::span<const std::int64_t> counts, std::int64_t lines, const SetFactors& factors,
                                   const std::optional<analysis::Interval>& within) {
  if (counts.size() < 2) return std::nullopt;
  SetCount sets{sets_of(even_counts(counts), lines), std::nullopt};
  if (within) {
    if (is_empty(overlap(sets.interval, *within))) sets.interval = sets_of(counts, lines);
    sets.interval = overlap(sets.interval, *within);
  }
  const Multiples told_apart = multiples_in(sets.interval, factors.told_apart);
  if (factors.told_apart > 1 && told_apart.count() == 1) {
    sets.value = told_apart.first * told_apart.unit;
    return sets;
  }
  if (take_most_even(multiples_in(sets.interval, factors.slices), factors.told_apart, sets)) return sets;
  if (factors.told_apart > 1) take_most_even(told_apart, factors.told_apart, sets);
  return sets;
}

std::optional<std::int64_t> usual_distance(std::span<const std::vector<std::int64_t>> sets,
                                           std::int64_t lines_per_page) {
  // Of lines at random places, 29 in 32 do not have one of a thousand distances once in 10^60 cases.
  constexpr std::int64_t enough = 32;
  constexpr double nearly_all = 0.9;  // lines that are late for other reasons lie between
  std::map<std::int64_t, std::int64_t> times;
  std::int64_t all = 0;
  for (const auto& lines : sets) {
    for (std::size_t i = 1; i < lines.size(); ++i) {
      if (lines[i] / lines_per_page != lines[i - 1] / lines_per_page) continue;
      ++times[lines[i] - lines[i - 1]];
      ++all;
    }
  }
  if (all < enough) return std::nullopt;
  const auto [distance, count] = *std::ranges::max_element(times, {}, [](const auto& entry) { return entry.second; });
  if (static_cast<double>(count) < nearly_all * static_cast<double>(all)) return std::nullopt;
  return distance;
}

std::vector<std::vector<std::int64_t>> apart_from_neighbours(std::span<const std::int64_t> lines,
                                                             std::span<const std::vector<std::int64_t>> sets) {
  const std::size_t ways = sets.front().size() - 1;
  std::vector<std::vector<std::int64_t>> apart;
  for (const std::int64_t odd : {0, 1}) {
    const auto is_such = [odd](std::int64_t line) { return line % 2 == odd; };
    const auto holding = static_cast<std::size_t>(
        std::ranges::count_if(sets, [&](const auto& set) { return std::ranges::any_of(set, is_such); }));
    const std::size_t most = std::max<std::size_t>(holding * ways / 4, 1);
    apart.emplace_back();
    for (const std::int64_t line : lines) {
      if (!is_such(line)) continue;
      if (apart.back().size() == most) apart.emplace_back();
      apart.back().push_back(line);
    }
  }
  return apart;
}

void drop_lines_of_many_sets(std::vector<std::vector<std::int64_t>>& sets,
                             std::vector<std::vector<std::int64_t>>& copies) {
  std::map<std::int64_t, int> sets_of_line;
  for (const auto* const lists : {&sets, &copies}) {
    for (const auto& lines : *lists) {
      for (const std::int64_t line : lines) ++sets_of_line[line];
    }
  }
  for (auto* const lists : {&sets, &copies}) {
    for (auto& lines : *lists) std::erase_if(lines, [&](std::int64_t line) { return sets_of_line.at(line) > 2; });
  }
}

double memory_threshold(std::span<const double> latencies, std::int64_t partitions) {
  if (partitions == 1 || latencies.size() < 2) return 0;
  std::vector<double> sorted(latencies.begin(), latencies.end());
  std::ranges::sort(sorted);
  const auto share = static_cast<std::int64_t>(sorted.size()) / partitions;
  // Chance shares out few pages unevenly: with a quarter, not one set of eight pages in 100 is left without its gap.
  const auto least = static_cast<std::size_t>(share / 4 + 1);
  double widest = 0;
  double threshold = 0;
  for (std::size_t first = least; first <= sorted.size() - least; ++first) {
    const double gap = sorted[first] - sorted[first - 1];
    if (gap <= widest) continue;
    widest = gap;
    threshold = (sorted[first] + sorted[first - 1]) / 2;
  }
  return threshold;
}

std::size_t compared_visits(std::int64_t ways) {
  return static_cast<std::size_t>(std::max<std::int64_t>(3 * ways, 48));
}

std::optional<std::vector<std::int64_t>> visits_to(std::span<const std::int64_t> lines, std::int64_t ways,
                                                   std::uint64_t seed) {
  const std::int64_t used = ways + ways / 2;
  if (std::ssize(lines) < 2 * ways + used) return std::nullopt;
  std::vector<std::int64_t> visits;
  for (const std::int64_t place : cache::random_choice(std::ssize(lines), 2 * ways + used, seed)) {
    visits.push_back(lines[static_cast<std::size_t>(place)]);
  }
  const std::vector<std::int64_t> others(visits.end() - used, visits.end());
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < compared_visits(ways); ++i) visits.push_back(others[random() % others.size()]);
  return visits;
}

QueuePolicy queue_policy(std::span<const Visits> seen, std::int64_t ways) {
  const bool may_be_tree = ways > 2 && std::has_single_bit(static_cast<std::uint64_t>(ways));  // of two ways, it is LRU
  QueuePolicy policy;
  std::size_t not_fifo = 0;
  std::size_t not_like_tree = 0;
  for (const Visits& visits : seen) {
    const auto lru = last(analysis::lru_hits(visits.lines, static_cast<std::size_t>(ways)), visits.hits.size());
    const auto fifo = last(analysis::fifo_hits(visits.lines, static_cast<std::size_t>(ways)), visits.hits.size());
    policy.compared += visits.hits.size();
    policy.telling += differences(lru, fifo);
    policy.unexplained += differences(lru, visits.hits);
    not_fifo += differences(fifo, visits.hits);
    if (!may_be_tree) continue;
    const auto tree =
        last(analysis::tree_plru_hits_when_full(visits.lines, static_cast<std::size_t>(ways)), visits.hits.size());
    not_like_tree += differences(lru, tree);
  }
  if (may_be_tree) policy.telling = std::min(policy.telling, not_like_tree);
  if (policy.telling == 0) {
    policy.reason = "no visit told LRU from other policies";
  } else if (policy.unexplained == 0) {
    policy.name = "lru";
  } else if (not_fifo == 0) {
    policy.name = "fifo";
  } else if (10 * policy.unexplained > policy.compared) {
    policy.name = "not-lru";
  } else {
    policy.reason = "few visits contradict LRU, as disturbed loads would";
  }
  return policy;
}

}  // namespace tomograph::data_cache
