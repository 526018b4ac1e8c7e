#ifndef TOMOGRAPH_ANALYSIS_UNDISTURBED_HPP
#define TOMOGRAPH_ANALYSIS_UNDISTURBED_HPP

#include <cstdint>
#include <span>

/// What a link or the host does undisturbed. Other programs use them as well, and only ever slow a repetition. So the
/// fast end of the repetitions counts, as in the benchmark STREAM, which reports the best (McCalpin 1995); but the
/// quantile of the fastest tenth, since a single best one could be an error of the clock. Pure functions.
namespace tomograph::analysis {

/// Which repetitions are the faster ones.
enum class Faster : std::uint8_t {
  less,  ///< of times
  more   ///< of rates
};

/// A quantile of what was measured, and two order statistics that enclose the one of all repetitions that could be.
struct Undisturbed {
  double value = 0;
  double low = 0;
  double high = 0;
  double coverage = 0;  ///< probability that they do, for any continuous distribution
};

/// The quantile that the fastest tenth of `sample` reaches. Its interval is the pair of order statistics next to it
/// that miss it with at most half of 1 - `confidence` on either side (David & Nagaraja 2003, Order Statistics, section
/// 7.1), or the extremes of a smaller sample. @throws std::invalid_argument if the sample is empty.
[[nodiscard]] Undisturbed undisturbed(std::span<const double> sample, Faster faster, double confidence);

/// `found`, of which all repetitions may be slowed alike, so that another run finds a value that is up to `factor`
/// times as large or as small: its interval covers these as well. 1 changes nothing.
[[nodiscard]] Undisturbed widened(Undisturbed found, double factor);

}  // namespace tomograph::analysis

#endif
