#ifndef TOMOGRAPH_TLB_ANALYSIS_BIWEIGHT_HPP
#define TOMOGRAPH_TLB_ANALYSIS_BIWEIGHT_HPP

#include <span>

/// Location of the main part of a sample of which a good part lies elsewhere. Pure functions.
namespace tomograph::tlb {

struct Biweight {
  double location = 0;
  double error = 0;  ///< standard error of the location, from the values that count
  double share = 0;  ///< of the sample that counts
};

/// Biweight estimate of location (Beaton & Tukey 1974, Technometrics 16, section 2): the fixed point of the mean with
/// weights (1 - u^2)^2, u = (x - location) / (2 s), of the values with |u| < 1. s is 1.4826 times the median absolute
/// deviation of the values within `near` of `start`, at least `finest`, and the location begins at their median. Values
/// further than 2 s away do not count, so a second mode of the sample there does not move the location, even if it is
/// on one side only. The share is 0 if no value is within `near` of `start`.
/// @throws std::invalid_argument unless `near` and `finest` are positive.
[[nodiscard]] Biweight biweight_near(std::span<const double> sample, double start, double near, double finest = 1);

}  // namespace tomograph::tlb

#endif
