#ifndef TOMOGRAPH_MEMORY_SPECTRUM_ANALYSIS_HETEROGENEITY_HPP
#define TOMOGRAPH_MEMORY_SPECTRUM_ANALYSIS_HETEROGENEITY_HPP

#include <span>

/// Whether several estimates have the same true value. Pure functions, any unit.
namespace tomograph::memory_spectrum {

struct Estimate {
  double value = 0;
  double error = 0;  ///< standard error
};

struct Heterogeneity {
  double deviation = 0;  ///< standard deviation of the true values from each other
  double chance = 1;     ///< probability that estimates of one value differ so much
};

/// Cochran's Q (Biometrics 1954), which has a chi-squared distribution if there is one true value, and the deviation of
/// true values that explains it (DerSimonian & Laird, Controlled Clinical Trials 1986, Eq. 8). Fewer than two estimates
/// do not differ.
/// @throws std::invalid_argument unless all errors are positive.
[[nodiscard]] Heterogeneity heterogeneity(std::span<const Estimate> estimates);

}  // namespace tomograph::memory_spectrum

#endif
