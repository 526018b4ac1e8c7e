#ifndef TOMOGRAPH_L2_SLICES_ANALYSIS_CONTENTION_HPP
#define TOMOGRAPH_L2_SLICES_ANALYSIS_CONTENTION_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

/// Slices from rates under load: two lines of one slice share its rate, two lines of different slices have twice as
/// much.
namespace tomograph::l2_slices {

/// What tells a shared slice from two slices.
struct Threshold {
  double rate = 0;   ///< loads per cycle of two lines; less: they share a slice
  double error = 1;  ///< probability that a rate of either kind lies beyond it
};

/// The threshold halfway, as a ratio, between the rate of two slices and half of that. `apart` are the rates of pairs
/// of lines that latencies tell apart, `again` those of the same pairs in the same order when measured once more. The
/// logarithm of a rate varies by their differences; its error is that of a normal distribution. The median of `apart`
/// serves as the rate of two slices, since few pairs may share one.
[[nodiscard]] Threshold threshold_of(std::span<const double> apart, std::span<const double> again);

/// Divides lines into slices, by asking for the rates of pairs of lines in rounds.
class SliceSearch {
 public:
  using Line = std::int64_t;
  using Pair = std::pair<Line, Line>;

  /// `lines` by cluster. No line of one cluster shares a slice with one of another.
  explicit SliceSearch(std::vector<std::vector<Line>> lines) : left_(std::move(lines)) {}

  /// The next pairs to be measured: in each cluster, the first line without a slice and each other one. Empty at the
  /// end.
  [[nodiscard]] std::vector<Pair> pairs() const;
  /// Takes the rates of `pairs()`. Lines that share the slice of the first one become a slice with it.
  void add(std::span<const double> rates, const Threshold& threshold);

  struct Slice {
    std::size_t cluster;
    std::vector<Line> lines;
  };
  /// By cluster.
  [[nodiscard]] std::vector<Slice> slices() const;

 private:
  std::vector<std::vector<Line>> left_;  ///< by cluster
  std::vector<Slice> found_;
};

}  // namespace tomograph::l2_slices

#endif
