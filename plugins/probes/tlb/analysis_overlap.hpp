#ifndef TOMOGRAPH_TLB_ANALYSIS_OVERLAP_HPP
#define TOMOGRAPH_TLB_ANALYSIS_OVERLAP_HPP

#include <span>

/// Two overlapping modes of a sample, of which one lies at 0. Pure functions.
namespace tomograph::tlb {

/// The mode that does not lie at 0.
struct UpperMode {
  double location = 0;
  double error = 0;  ///< standard error of the location
  double share = 0;  ///< of the sample
  double below = 0;  ///< share of the mode at 0
};

/// The upper one of two normal modes of equal deviation, of which the lower one lies at 0; a few values may lie
/// anywhere. Fits the values from `low` to `high` by expectation and maximization (Dempster, Laird & Rubin 1977, JRSS B
/// 39), which begins at `location` and `deviation`. The error is a jackknife's over ten parts of the sample. The share
/// is 0 if there is no such mode.
[[nodiscard]] UpperMode upper_mode(std::span<const double> sample, double low, double high, double location,
                                   double deviation);

}  // namespace tomograph::tlb

#endif
