#include "tomograph/analysis/miss_pattern.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "tomograph/analysis/proportion.hpp"

namespace tomograph::analysis {
namespace {

/// False-alarm rate of each test: of deviations from a pattern, changes of way counts, and unequal ways.
constexpr double chance = 1e-3;
/// Passes after which a deterministic policy is expected to repeat.
constexpr std::size_t longest_period = 64;

void require_misread(double misread) {
  if (!(misread >= 0 && misread < 0.5)) throw std::invalid_argument("a misread probability must be within [0, 0.5)");
}

/// Number of misread loads among `loads` that misreading exceeds with a probability of at most `alpha`.
std::size_t misread_limit(std::size_t loads, double misread, double alpha) {
  if (misread == 0 || loads == 0) return 0;
  using namespace boost::math::policies;
  using Count = boost::math::binomial_distribution<double, policy<discrete_quantile<integer_round_up>>>;
  const Count count(static_cast<double>(loads), misread);
  return static_cast<std::size_t>(boost::math::quantile(boost::math::complement(count, alpha)));
}

std::size_t count_misses(std::span<const Access> trace) {
  return static_cast<std::size_t>(std::count(trace.begin(), trace.end(), Access::miss));
}

/// The pattern of the given length that fits best, or nothing if there are more than `limit` deviations from it.
std::optional<Period> fold(std::span<const Access> trace, std::size_t length, std::size_t limit) {
  Period period{length, std::vector<Access>(length), 0};
  for (std::size_t at = 0; at < length; ++at) {
    std::size_t visits = 0;
    std::size_t misses = 0;
    for (std::size_t i = at; i < trace.size(); i += length, ++visits) misses += trace[i] == Access::miss ? 1 : 0;
    const bool mostly_miss = 2 * misses > visits;
    period.pattern[at] = mostly_miss ? Access::miss : Access::hit;
    period.deviations += mostly_miss ? visits - misses : misses;
    if (period.deviations > limit) return std::nullopt;
  }
  return period;
}

/// Whether misreading explains the deviations at each single position.
bool scattered(std::span<const Access> trace, const Period& period, double misread) {
  std::vector<std::size_t> deviations(period.length);
  for (std::size_t i = 0; i < trace.size(); ++i)
    deviations[i % period.length] += trace[i] != period.pattern[i % period.length] ? 1 : 0;
  const std::size_t visits = trace.size() / period.length;
  const std::size_t limit = misread_limit(visits, misread, chance / static_cast<double>(period.length));
  return *std::max_element(deviations.begin(), deviations.end()) <= limit;
}

/// The numbers of the W + 1 lines in the order of their nodes, one per load.
std::vector<std::size_t> lines_of(std::span<const std::uint32_t> nodes, std::size_t ways) {
  std::vector<std::uint32_t> lines(nodes.begin(), nodes.end());
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  if (lines.size() != ways + 1) throw std::invalid_argument("a replacement trace must visit ways + 1 different nodes");
  std::vector<std::size_t> numbers(nodes.size());
  std::transform(nodes.begin(), nodes.end(), numbers.begin(), [&](std::uint32_t node) {
    return static_cast<std::size_t>(std::lower_bound(lines.begin(), lines.end(), node) - lines.begin());
  });
  return numbers;
}

/// One replacement in a set of W ways.
struct Replaced {
  std::size_t way = 0;
  std::size_t age = 0;  ///< of the victim: 0 is the line that was visited longest ago, W - 1 the last one
  std::vector<std::size_t> way_by_age;  ///< where the line of each age was
};

/// All replacements, in their order. The line that missed before took the way of the one that misses now. The walk
/// visits the line after that first again, so that one was visited longest ago. Precondition: there is a miss.
std::vector<Replaced> reconstruct(std::span<const Access> trace, std::span<const std::size_t> lines, std::size_t ways) {
  const auto first = static_cast<std::size_t>(std::ranges::find(trace, Access::miss) - trace.begin());
  std::size_t previous = lines[first];
  std::vector<std::size_t> way_of(ways + 1);
  for (std::size_t i = 0; i < way_of.size(); ++i) way_of[i] = i < previous ? i : i - 1;
  std::vector<Replaced> replaced;
  for (std::size_t i = first + 1; i < trace.size(); ++i) {
    if (trace[i] == Access::hit) continue;
    if (lines[i] != previous) {
      Replaced one{way_of[lines[i]], (lines[i] + ways - previous) % (ways + 1), {}};
      for (std::size_t age = 0; age < ways; ++age) one.way_by_age.push_back(way_of[(previous + 1 + age) % (ways + 1)]);
      way_of[previous] = one.way;
      replaced.push_back(std::move(one));
    }
    previous = lines[i];
  }
  return replaced;
}

std::vector<std::size_t> ways_of(std::span<const Replaced> replaced) {
  std::vector<std::size_t> ways;
  for (const Replaced& one : replaced) ways.push_back(one.way);
  return ways;
}

std::vector<std::size_t> histogram(std::span<const std::size_t> victims, std::size_t ways) {
  std::vector<std::size_t> count(ways);
  for (const std::size_t way : victims) ++count[way];
  return count;
}

/// x log x. Up to terms without the counts, their maximum log likelihood is the sum of it over them less it of the sum.
double entropy_term(std::size_t count) {
  return count == 0 ? 0 : static_cast<double>(count) * std::log(static_cast<double>(count));
}

double log_likelihood(std::span<const std::size_t> count) {
  double sum = -entropy_term(std::accumulate(count.begin(), count.end(), std::size_t{0}));
  for (const std::size_t c : count) sum += entropy_term(c);
  return sum;
}

/// What the victims have to do with the past, and what they would if each way were the victim as often as it was,
/// whatever happened before.
Memory memory_of(std::span<const Replaced> replaced, std::size_t ways) {
  const auto count = histogram(ways_of(replaced), ways);
  Memory memory{.ages = std::vector<std::size_t>(ways), .expected_ages = std::vector<double>(ways)};
  for (const Replaced& one : replaced) {
    ++memory.ages[one.age];
    for (std::size_t age = 0; age < ways; ++age) {
      memory.expected_ages[age] +=
          static_cast<double>(count[one.way_by_age[age]]) / static_cast<double>(replaced.size());
    }
  }
  memory.pairs = replaced.size() - std::min<std::size_t>(replaced.size(), 1);
  for (std::size_t i = 1; i < replaced.size(); ++i) memory.repeats += replaced[i].way == replaced[i - 1].way ? 1 : 0;
  for (const std::size_t c : count) {
    const double share = static_cast<double>(c) / static_cast<double>(std::max<std::size_t>(replaced.size(), 1));
    memory.expected_repeats += share * share * static_cast<double>(memory.pairs);
  }
  return memory;
}

/// The place at which the way counts before and after differ most, or nothing if chance explains the difference
/// (likelihood ratio test, times the number of places).
std::optional<std::size_t> role_change(std::span<const std::size_t> victims, std::size_t ways) {
  std::vector<std::size_t> before(ways);
  std::vector<std::size_t> after = histogram(victims, ways);
  const double whole = log_likelihood(after);
  double most = 0;
  std::size_t place = 0;
  for (std::size_t i = 0; i + 1 < victims.size(); ++i) {
    ++before[victims[i]];
    --after[victims[i]];
    const double gain = log_likelihood(before) + log_likelihood(after) - whole;
    if (gain > most) {
      most = gain;
      place = i + 1;
    }
  }
  const boost::math::chi_squared_distribution<> null(static_cast<double>(ways - 1));
  const double alpha = chance / static_cast<double>(victims.size() + 1);
  if (2 * most <= boost::math::quantile(boost::math::complement(null, alpha))) return std::nullopt;
  return place;
}

/// Way counts of the stretches of a trace in which ways keep their roles.
void add_stretches(std::span<const std::size_t> victims, std::size_t ways,
                   std::vector<std::vector<std::size_t>>& stretches) {
  if (const auto place = role_change(victims, ways)) {
    add_stretches(victims.first(*place), ways, stretches);
    add_stretches(victims.subspan(*place), ways, stretches);
  } else {
    stretches.push_back(histogram(victims, ways));
  }
}

/// Exchanges counts of `stretch` as long as that makes it more like `reference` than chance would.
void align(std::vector<std::size_t>& stretch, std::span<const std::size_t> reference) {
  const auto ways = static_cast<double>(stretch.size());
  const double least_gain = std::log(ways * (ways - 1) / 2 / chance);
  const auto weight = [&](std::size_t way) { return std::log(static_cast<double>(reference[way]) + 0.5); };
  const auto gain = [&](std::size_t a, std::size_t b) {
    return (static_cast<double>(stretch[b]) - static_cast<double>(stretch[a])) * (weight(a) - weight(b));
  };
  for (;;) {
    std::pair<std::size_t, std::size_t> best{0, 0};
    for (std::size_t a = 0; a < stretch.size(); ++a) {
      for (std::size_t b = a + 1; b < stretch.size(); ++b) {
        if (gain(a, b) > gain(best.first, best.second)) best = {a, b};
      }
    }
    if (gain(best.first, best.second) <= least_gain) return;
    std::swap(stretch[best.first], stretch[best.second]);
  }
}

/// Way counts of the whole trace with the swaps of roles undone.
std::vector<std::size_t> aligned_counts(std::vector<std::vector<std::size_t>> stretches) {
  const auto size = [](const std::vector<std::size_t>& count) {
    return std::accumulate(count.begin(), count.end(), std::size_t{0});
  };
  std::stable_sort(stretches.begin(), stretches.end(), [&](const auto& a, const auto& b) { return size(a) > size(b); });
  std::vector<std::size_t> sum = stretches.front();
  for (auto stretch = stretches.begin() + 1; stretch != stretches.end(); ++stretch) {
    align(*stretch, sum);
    std::transform(sum.begin(), sum.end(), stretch->begin(), sum.begin(), std::plus<>());
  }
  return sum;
}

/// log P[counts | equal probabilities] - log P[counts | Dirichlet(1)].
double log_bayes_factor_of_equal(std::span<const std::size_t> count) {
  const auto ways = static_cast<double>(count.size());
  const auto total = static_cast<double>(std::accumulate(count.begin(), count.end(), std::size_t{0}));
  double dirichlet = boost::math::lgamma(ways) - boost::math::lgamma(total + ways);
  for (const std::size_t c : count) dirichlet += boost::math::lgamma(static_cast<double>(c) + 1);
  return -total * std::log(ways) - dirichlet;
}

/// log P[counts | equal ways] - log P[counts | one way is a victim at least 1.5 times as often as each other, or each
/// other at least 1.5 times as often as it], averaged over which way and which of the two.
double log_ratio_of_equal(std::span<const std::size_t> count) {
  constexpr double odds = 1.5;  // smaller differences count as equal; chosen by hand
  const auto ways = static_cast<double>(count.size());
  const std::size_t total = std::accumulate(count.begin(), count.end(), std::size_t{0});
  double unequal_over_equal = 0;
  for (const std::size_t c : count) {
    const double share = static_cast<double>(c) / static_cast<double>(total);
    const double often = std::max(share, odds / (odds + ways - 1));
    const double seldom = std::min(share, 1 / (1 + odds * (ways - 1)));
    // The other ways are alike among themselves under both hypotheses, so only this way's counts tell them apart.
    unequal_over_equal += std::exp(log_likelihood_ratio(c, total, often, 1 / ways)) / (2 * ways);
    unequal_over_equal += std::exp(log_likelihood_ratio(c, total, seldom, 1 / ways)) / (2 * ways);
  }
  return -std::log(unequal_over_equal);
}

/// Victims by way, in a trace whose misread loads may make ways swap their roles.
std::vector<std::size_t> victims_by_way(std::span<const std::size_t> victims, std::size_t ways) {
  std::vector<std::vector<std::size_t>> stretches;
  add_stretches(victims, ways, stretches);
  return aligned_counts(std::move(stretches));
}

/// Whether a trace repeats but for more misread loads than stated, few against its misses.
bool nearly_periodic(std::span<const Access> trace, std::size_t misses, std::size_t repetitions) {
  constexpr double noisy = 0.05;  // the most that threshold_between accepts
  const auto period = smallest_period(trace, noisy, repetitions);
  // Random replacement deviates from any pattern by about as many loads as miss.
  return period && 10 * period->deviations < misses;
}

/// Decides between random and way_weighted.
void judge(ReplacementVerdict& verdict, std::size_t replacements) {
  constexpr std::size_t least_per_way = 20;  // Pearson's test needs 5 and more (Cochran 1954); this leaves a margin
  if (replacements < least_per_way * verdict.victims.size()) return;
  const bool weighted = p_value_of_equal_ways(verdict.victims) < chance;
  verdict.policy = weighted ? Replacement::way_weighted : Replacement::random;
  const double log_ratio = weighted ? -log_bayes_factor_of_equal(verdict.victims) : log_ratio_of_equal(verdict.victims);
  verdict.confidence = (1 - systematic_error) * posterior(log_ratio);
}

/// Probability that all loads miss by policy and not by luck of random replacement.
double confidence_of_always(std::size_t misses, std::size_t loads, std::size_t ways, double misread) {
  const double by_random = 2 / (static_cast<double>(ways) + 1);
  const double by_policy = 1 - std::max(misread, systematic_error);
  return (1 - systematic_error) * posterior(log_likelihood_ratio(misses, loads, by_policy, by_random));
}

/// Probability that a trace repeats by policy and not by luck of independent misses.
double confidence_of_period(const Period& period, std::span<const Access> trace, double misread) {
  const std::size_t foretold = trace.size() - period.length;
  const std::size_t misses = count_misses(trace.last(foretold));
  const double rate = static_cast<double>(misses) / static_cast<double>(foretold);
  const double right = 1 - std::max(misread, systematic_error);
  const std::size_t deviations = std::min(period.deviations, foretold);
  const double repeats = log_likelihood_ratio(foretold - deviations, foretold, right, 0.5);
  const double independent = log_likelihood_ratio(misses, foretold, rate, 0.5);
  return (1 - systematic_error) * posterior(repeats - independent - std::log(static_cast<double>(trace.size())));
}

}  // namespace

std::vector<Access> accesses(std::span<const std::uint32_t> latencies, double threshold) {
  std::vector<Access> trace(latencies.size());
  std::ranges::transform(latencies, trace.begin(),
                         [&](std::uint32_t latency) { return latency > threshold ? Access::miss : Access::hit; });
  return trace;
}

std::optional<Period> smallest_period(std::span<const Access> trace, double misread, std::size_t repetitions) {
  require_misread(misread);
  if (repetitions < 2) throw std::invalid_argument("a period must repeat at least twice");
  const std::size_t limit = misread_limit(trace.size(), misread, chance);
  for (std::size_t length = 1; length <= trace.size() / repetitions; ++length) {
    auto period = fold(trace, length, limit);
    if (period && scattered(trace, *period, misread)) return period;
  }
  return std::nullopt;
}

double p_value_of_equal_ways(std::span<const std::size_t> victims) {
  const auto total = static_cast<double>(std::accumulate(victims.begin(), victims.end(), std::size_t{0}));
  if (victims.size() < 2 || total == 0) return 1;
  const double expected = total / static_cast<double>(victims.size());
  double squares = 0;
  for (const std::size_t count : victims) {
    squares += (static_cast<double>(count) - expected) * (static_cast<double>(count) - expected);
  }
  const boost::math::chi_squared_distribution<> null(static_cast<double>(victims.size() - 1));
  return boost::math::cdf(boost::math::complement(null, squares / expected));
}

void Memory::add(const Memory& other) {
  ages.resize(other.ages.size());
  expected_ages.resize(other.ages.size());
  for (std::size_t age = 0; age < ages.size(); ++age) {
    ages[age] += other.ages[age];
    expected_ages[age] += other.expected_ages[age];
  }
  repeats += other.repeats;
  expected_repeats += other.expected_repeats;
  pairs += other.pairs;
}

double p_value_of_independence(const Memory& memory) {
  double squares = 0;
  const auto add = [&](std::size_t seen, double expected, double variance) {
    if (variance > 0)
      squares += (static_cast<double>(seen) - expected) * (static_cast<double>(seen) - expected) / variance;
  };
  for (std::size_t age = 0; age < memory.ages.size(); ++age) {
    add(memory.ages[age], memory.expected_ages[age], memory.expected_ages[age]);
  }
  const double share = memory.expected_repeats / static_cast<double>(std::max<std::size_t>(memory.pairs, 1));
  add(memory.repeats, memory.expected_repeats, memory.expected_repeats * (1 - share));
  // Cohen's effect size (1988): two misread loads of 100 victims make 0.08 of 16 ways. The more ways, the longer the
  // trace in which a misread load swaps two lines, so it grows with them.
  constexpr double of_way = 0.1 / 16;
  const double misreading = of_way * static_cast<double>(std::max<std::size_t>(memory.ages.size(), 16));
  const auto victims = static_cast<double>(memory.pairs + 1);
  if (memory.ages.size() < 2 || squares <= misreading * misreading * victims) return 1;
  const boost::math::chi_squared_distribution<> null(static_cast<double>(memory.ages.size()));
  return boost::math::cdf(boost::math::complement(null, squares));
}

ReplacementVerdict classify_replacement(std::span<const Access> trace, std::span<const std::uint32_t> nodes,
                                        std::size_t ways, double misread) {
  require_misread(misread);
  if (ways == 0) throw std::invalid_argument("a set has at least one way");
  if (trace.size() != nodes.size()) throw std::invalid_argument("a trace needs one node per load");
  const std::vector<std::size_t> lines = lines_of(nodes, ways);
  ReplacementVerdict verdict;
  const std::size_t misses = count_misses(trace);
  const std::size_t misread_loads = misread_limit(trace.size(), misread, chance);
  if (ways == 1 || misses <= misread_loads) return verdict;
  if (trace.size() - misses <= misread_loads) {
    verdict.policy = Replacement::lru_or_fifo;
    verdict.confidence = confidence_of_always(misses, trace.size(), ways, misread);
    return verdict;
  }
  const auto replaced = reconstruct(trace, lines, ways);
  verdict.victim_ways = ways_of(replaced);
  verdict.victims = victims_by_way(verdict.victim_ways, ways);
  verdict.memory = memory_of(replaced, ways);
  const std::size_t repetitions = std::max<std::size_t>(3, trace.size() / (longest_period * (ways + 1)));
  const auto period = smallest_period(trace, misread, repetitions);
  const double repeats = period ? confidence_of_period(*period, trace, misread) : 0;
  if (repeats > 1 - chance) {
    verdict.policy = Replacement::deterministic;
    verdict.confidence = repeats;
  } else if (!nearly_periodic(trace, misses, repetitions)) {
    judge(verdict, replaced.size());
  }
  return verdict;
}

}  // namespace tomograph::analysis
