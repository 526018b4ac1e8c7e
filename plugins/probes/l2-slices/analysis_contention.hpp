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

/// Rates whose slices are known.
struct Calibration {
  std::vector<double> alone;  ///< of single lines
  std::vector<double> apart;  ///< of pairs of lines that latencies tell apart. A few of them may share a rate
  std::vector<double> again;  ///< of the same pairs, measured once more
};

/// The threshold halfway, as a ratio, between the medians of single lines and of pairs. The logarithm of a rate varies
/// as repeats of pairs and single lines do, whichever vary more; its error is that of a normal distribution.
[[nodiscard]] Threshold threshold_of(const Calibration& calibration);

/// Slices that slow each other.
struct Sharing {
  std::vector<std::vector<std::size_t>> groups;  ///< numbers of slices, ascending; most groups have one
  std::size_t contradictions = 0;                ///< pairs that slow each other in two groups, or do not within one
};

/// Groups of `slices` slices. `rates` are those of the pairs (1, 0), (2, 0), (2, 1), (3, 0) and so on.
[[nodiscard]] Sharing sharing_of(std::size_t slices, std::span<const double> rates, const Threshold& threshold);

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
