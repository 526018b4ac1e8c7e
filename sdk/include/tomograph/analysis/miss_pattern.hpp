#ifndef TOMOGRAPH_ANALYSIS_MISS_PATTERN_HPP
#define TOMOGRAPH_ANALYSIS_MISS_PATTERN_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// The fine-grained analysis of Mei & Chu 2017, section 4.2: what the sequence of hits and misses of a chase says.
/// `misread` is the probability that a single load is classified wrongly, e.g. the larger one of a Threshold.
/// A deviation that misreading explains with probability 1e-3 is put down to it.
namespace tomograph::analysis {

enum class Access : std::uint8_t { hit, miss };

/// Hits and misses of loads: a latency above `threshold` is a miss. Same unit on both sides.
[[nodiscard]] std::vector<Access> accesses(std::span<const std::uint32_t> latencies, double threshold);

/// A trace that repeats.
struct Period {
  std::size_t length = 0;       ///< loads
  std::vector<Access> pattern;  ///< the `length` accesses that repeat
  std::size_t deviations = 0;   ///< loads of the trace that differ from it
};

/// The smallest period that explains the whole trace (Mei & Chu 2017, Fig. 3: under LRU, that of the walk).
/// Both the deviations in total and those at any one position of the period must be few enough to be misread loads.
/// Only periods that fit at least `repetitions` times are considered. Nothing if there is none: the trace is
/// aperiodic or too short. O(n * longest period).
/// @throws std::invalid_argument unless 0 <= misread < 0.5 and repetitions >= 2.
[[nodiscard]] std::optional<Period> smallest_period(std::span<const Access> trace, double misread = 0,
                                                    std::size_t repetitions = 3);

enum class Replacement {
  lru_or_fifo,    ///< every load misses; touching a line again before it is due tells the two apart
  deterministic,  ///< periodic, but with hits: neither LRU nor FIFO nor random
  random,         ///< aperiodic, all ways alike
  way_weighted,   ///< aperiodic, some ways are victims more often than others
  inconclusive    ///< too few misses, or none
};

/// What `classify_replacement` found out.
struct ReplacementVerdict {
  Replacement policy = Replacement::inconclusive;
  /// Probability of the verdict, never above 1 - systematic_error, from even priors. way_weighted: Bayes factor of
  /// uniformly distributed way probabilities (Dirichlet(1)) against equal ones. random: equal ones against one way
  /// being a victim at least 1.5 times as often as each other, or each other as it; less is not told apart from random.
  /// lru_or_fifo: against random, where 2 / (ways + 1) of the loads miss. deterministic: against independent misses,
  /// for all periods tried.
  double confidence = 0;
  /// Replacements in each way, for traces with hits. Ways are numbered by the node they held first, ascending.
  std::vector<std::size_t> victims;
};

/// Probability that ways that are all chosen equally often have victim counts at least as unequal as these: Pearson's
/// chi-squared test. 1 without victims or for a single way.
[[nodiscard]] double p_value_of_equal_ways(std::span<const std::size_t> victims);

/// Replacement policy from a walk over exactly ways + 1 lines of one set (Mei & Chu 2017, Fig. 11).
///
/// One of the lines is always absent. A miss on y reveals that y was the victim of the miss before it, on x, and so
/// that x took y's way. A misread load makes two ways swap their roles in what follows; the trace is therefore cut
/// where way counts change more than chance would (probability 1e-3), and the parts are matched with each other.
/// Verdict: lru_or_fifo if all loads miss but for misread ones; deterministic if there is a period, of at most 64
/// passes, that chance does not give (way probabilities are still reported); else way_weighted if p_value < 0.001,
/// random otherwise. Inconclusive if there is only one way; if nothing misses; with fewer than 20 replacements per way;
/// or if there would be a period with up to 5 % of misread loads: a deterministic policy misread more often than
/// stated. With 400 replacements per way, 95 % of random caches reach a confidence of 0.99; with 200, 70 %.
/// Precondition: the lines have been walked at least once before the trace begins, so it holds no cold misses.
/// @throws std::invalid_argument if ways is 0, lengths differ, or `nodes` are not ways + 1 different ones.
[[nodiscard]] ReplacementVerdict classify_replacement(std::span<const Access> trace,
                                                      std::span<const std::uint32_t> nodes, std::size_t ways,
                                                      double misread = 0);

}  // namespace tomograph::analysis

#endif
