#ifndef TOMOGRAPH_WORKLOADS_ANALYSIS_LAUNCH_HPP
#define TOMOGRAPH_WORKLOADS_ANALYSIS_LAUNCH_HPP

#include <cstddef>
#include <span>

#include "cta_span.hpp"

/// How fast CTAs follow each other. Pure functions.
namespace tomograph::workloads {

/// How CTAs follow each other.
struct Succession {
  double rate = 0;      ///< starts per cycle, all SMs together, after the places have been filled once
  double turnover = 0;  ///< mean cycles from the end of a CTA to the next start in its place
};

/// `places` is the number of CTAs that an SM holds at once. In the order of time, start k of an SM takes the place that
/// end k - `places` has left. @throws std::invalid_argument if no SM filled its places more than twice.
[[nodiscard]] Succession succession_of(std::span<const CtaSpan> ctas, std::size_t places);

}  // namespace tomograph::workloads

#endif
