#ifndef TOMOGRAPH_ANALYSIS_BIWEIGHT_HPP
#define TOMOGRAPH_ANALYSIS_BIWEIGHT_HPP

#include <span>

/// Where the bulk of a sample lies although a good part of it lies elsewhere.
namespace tomograph::analysis {

struct Bulk {
  double location = 0;
  double deviation = 0;  ///< standard error of the location, from the values that count
  double share = 0;      ///< of the sample, that counts
};

/// Biweight estimate of location (Beaton & Tukey 1974, Technometrics 16, section 2): the fixed point of the mean with
/// weights (1 - u^2)^2, u = (x - location) / (2 s), of the values with |u| < 1. s is 1.4826 times the median absolute
/// deviation of the values within `near` of `start`, at least `finest`, and the location begins at their median. Values
/// further than 2 s away do not count at all, so a second mode of the sample there, on one side only, does not move it.
/// A share of 0 if no value is within `near` of `start`.
/// @throws std::invalid_argument unless `near` and `finest` are positive.
[[nodiscard]] Bulk bulk_near(std::span<const double> sample, double start, double near, double finest = 1);

}  // namespace tomograph::analysis

#endif
