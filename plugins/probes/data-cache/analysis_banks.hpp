#ifndef TOMOGRAPH_DATA_CACHE_ANALYSIS_BANKS_HPP
#define TOMOGRAPH_DATA_CACHE_ANALYSIS_BANKS_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

/// Which lines lie in the same bank of memory. Two misses at once take longer if a bank must open two rows.
namespace tomograph::data_cache {

/// Numbers of two lines.
using LinePair = std::pair<std::size_t, std::size_t>;

/// All pairs of so many lines.
[[nodiscard]] std::vector<LinePair> all_pairs(std::size_t lines);

/// Quantile of latencies that refreshes do not change: on an H200 they delay one load in eight.
inline constexpr double undelayed = 0.25;

/// What most loads of a sample take.
struct UsualLatency {
  double median = 0;
  double deviation = 0;  ///< standard, of the faster half, which nothing delayed

  /// The latency above which a load was delayed, so many deviations above the median.
  [[nodiscard]] double late(double deviations) const { return median + deviations * deviation; }
};
[[nodiscard]] UsualLatency usual_latency(std::span<const double> latencies);

/// Finds the pairs that are late each time. A disturbance may delay any load, but a pair that conflicts is late always.
class ConflictSearch {
 public:
  /// A refresh delays one load in four of an H100's pairs, and 14 of 16 trials with a probability of 3e-7. Of pairs
  /// that conflict, one trial in 20 is fast there, so that one in 25 is overlooked.
  static constexpr std::int64_t trials = 16;

  /// The first trial tells what is usual, so most of the pairs should not conflict. Late is a pair `late_deviations`
  /// above its median.
  ConflictSearch(std::vector<LinePair> pairs, double late_deviations)
      : late_deviations_(late_deviations), suspects_(std::move(pairs)), fast_(suspects_.size()) {}

  /// Whether no further trial is needed.
  [[nodiscard]] bool done() const { return tried_ == trials || suspects_.empty(); }
  [[nodiscard]] std::int64_t tried() const { return tried_; }

  /// Pairs that were late in all trials but a few.
  [[nodiscard]] const std::vector<LinePair>& suspects() const { return suspects_; }
  /// Their latencies in a further trial.
  void add(std::span<const double> latencies);
  /// What pairs take that do not conflict, after the first trial.
  [[nodiscard]] const UsualLatency& usual() const { return usual_; }
  /// By suspect: the median of its latencies.
  [[nodiscard]] std::vector<double> medians() const;

 private:
  static constexpr std::int64_t most_fast = 2;  ///< of the trials

  double late_deviations_;
  std::int64_t tried_ = 0;
  UsualLatency usual_;
  std::vector<LinePair> suspects_;
  std::vector<std::int64_t> fast_;         ///< by suspect: trials
  std::vector<std::vector<double>> seen_;  ///< by trial: latencies of the suspects
};

/// Lines grouped by bank, each ascending.
struct Banks {
  std::vector<std::vector<std::size_t>> lines;
  std::vector<LinePair> conflicts;  ///< pairs within groups that conflict
  std::size_t pairs = 0;            ///< within groups: those of one row do not conflict

  /// Number of the bank that holds this line.
  [[nodiscard]] std::size_t holding(std::size_t line) const;
};
/// A conflict that no other line confirms does not unite two groups.
[[nodiscard]] Banks group_by_bank(const std::vector<LinePair>& conflicts, std::size_t lines);

/// What two sets have in common whose lines were grouped together.
struct CommonBanks {
  std::size_t banks = 0;      ///< groups with lines of both
  std::size_t pairs = 0;      ///< of a line of one and a line of the other, within groups
  std::size_t conflicts = 0;  ///< of these
};
/// `of_first` says of each line whether it is of the first set.
[[nodiscard]] CommonBanks common_banks(const Banks& both, const std::vector<bool>& of_first);

}  // namespace tomograph::data_cache

#endif
