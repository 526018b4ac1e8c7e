#ifndef TOMOGRAPH_ANALYSIS_MISS_PATTERN_HPP
#define TOMOGRAPH_ANALYSIS_MISS_PATTERN_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// Fine-grained analysis of the hits and misses of a chase (Mei & Chu 2017, section 4.2).
///
/// `misread` is the probability that a single load is classified wrongly, e.g. the larger one of a Threshold. As many
/// deviations count as misread loads as misreading exceeds with a probability of at most 1e-3 (binomial).
namespace tomograph::analysis {

enum class Access : std::uint8_t { hit, miss };

/// Classifies loads: a latency above `threshold` is a miss. Same unit on both sides.
[[nodiscard]] std::vector<Access> accesses(std::span<const std::uint32_t> latencies, double threshold);

/// A trace that repeats.
struct Period {
  std::size_t length = 0;       ///< loads
  std::vector<Access> pattern;  ///< the `length` accesses that repeat
  std::size_t deviations = 0;   ///< loads of the trace that differ from the pattern
};

/// The smallest period that explains the whole trace; under LRU, that of the walk (Mei & Chu 2017, Fig. 3). Nothing if
/// the trace is aperiodic, or too short to hold a period `repetitions` times. O(n * longest period).
/// The deviations in total and those at each position of the period must both be few enough to be misread loads.
/// @throws std::invalid_argument unless 0 <= misread < 0.5 and repetitions >= 2.
[[nodiscard]] std::optional<Period> smallest_period(std::span<const Access> trace, double misread = 0,
                                                    std::size_t repetitions = 3);

enum class Replacement {
  lru_or_fifo,    ///< every load misses; touching a line again before it is due tells the two apart
  deterministic,  ///< periodic with hits: neither LRU nor FIFO nor random
  random,         ///< aperiodic, all ways alike
  way_weighted,   ///< aperiodic, some ways are victims more often than others
  inconclusive    ///< too few misses, or none
};

/// What victims have to do with the past, as seen and as expected if they are drawn independently of it.
struct Memory {
  std::vector<std::size_t> ages;  ///< victims by age: 0 is the line of the set that was visited longest ago
  std::vector<double> expected_ages;
  std::size_t repeats = 0;  ///< victims in the same way as the one before
  double expected_repeats = 0;
  std::size_t pairs = 0;  ///< victims that have one before

  /// Adds what another trace of a set with as many ways showed.
  void add(const Memory& other);
};

/// Result of `classify_replacement`.
struct ReplacementVerdict {
  Replacement policy = Replacement::inconclusive;
  /// Probability that the verdict is right, from even priors, at most 1 - systematic_error.
  /// way_weighted: Bayes factor of uniformly distributed way probabilities (Dirichlet(1)) against equal ones.
  /// random: equal ways against one way that is a victim at least 1.5 times as often as each other way, or each other
  /// way as it. Smaller differences are not told from random.
  /// lru_or_fifo: against random, where 2 / (ways + 1) of the loads miss.
  /// deterministic: against independent misses, for all periods tried.
  double confidence = 0;
  /// Replacements in each way, for traces with hits. Ways are numbered by the node that they held first, ascending.
  std::vector<std::size_t> victims;
  std::vector<std::size_t> victim_ways;  ///< the way of each of these replacements, in their order
  Memory memory;                         ///< of the same replacements
};

/// Probability that ways chosen equally often have victim counts at least as unequal as these: Pearson's chi-squared
/// test. 1 without victims and for a single way.
[[nodiscard]] double p_value_of_equal_ways(std::span<const std::size_t> victims);

/// Probability that independent victims differ at least as much from what is expected: Pearson's chi-squared test.
/// Random replacement, weighted or not, remembers nothing; NRU, CLOCK, RRIP, BIP and others do. Differences so small
/// that misread loads may cause them give 1.
[[nodiscard]] double p_value_of_independence(const Memory& memory);

/// Below this p_value_of_independence, victims depend on the past. False alarm: one of 10,000 random caches.
inline constexpr double surely_dependent = 1e-4;

/// The replacement policy, from a walk over exactly ways + 1 lines of one set (Mei & Chu 2017, Fig. 11).
/// Precondition: the lines were walked at least once before the trace begins, so it holds no cold misses.
///
/// One of the lines is always absent. A miss on line y shows that y was the victim of the miss before it, on line x,
/// and so that x took y's way. A misread load makes two ways swap roles in the rest of the trace. The trace is
/// therefore cut where way counts change by more than chance explains (likelihood ratio test, false alarm 1e-3), and
/// the parts are matched with each other.
///
/// Verdict, in this order: lru_or_fifo if all loads but misread ones miss; deterministic if the trace has a period of
/// at most 64 passes that chance would give with a probability below 1e-3; inconclusive if it nearly repeats, with up
/// to 5 % of misread loads; way_weighted if p_value_of_equal_ways is below 1e-3; random otherwise. Also inconclusive: a
/// single way, no miss, or fewer than 20 replacements per way. With 400 replacements per way, 95 % of random caches
/// reach a confidence of 0.99; with 200, 70 % (simulated traces).
/// @throws std::invalid_argument if ways is 0, lengths differ, or `nodes` are not ways + 1 different ones.
[[nodiscard]] ReplacementVerdict classify_replacement(std::span<const Access> trace,
                                                      std::span<const std::uint32_t> nodes, std::size_t ways,
                                                      double misread = 0);

}  // namespace tomograph::analysis

#endif
