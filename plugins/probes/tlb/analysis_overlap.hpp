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

/// The likeliest normal mode above a normal mode at 0 of the same deviation, with few values evenly anywhere, of the
/// values from `low` to `high`: by expectation and maximization (Dempster, Laird & Rubin 1977, JRSS B 39), from
/// `location` and `deviation` on. The error is a jackknife's over ten parts of the sample. The share is 0 if the mode
/// is not there.
[[nodiscard]] UpperMode upper_mode(std::span<const double> sample, double low, double high, double location,
                                   double deviation);

}  // namespace tomograph::tlb

#endif
