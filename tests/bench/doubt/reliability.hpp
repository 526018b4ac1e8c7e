#ifndef TOMOGRAPH_BENCH_DOUBT_RELIABILITY_HPP
#define TOMOGRAPH_BENCH_DOUBT_RELIABILITY_HPP

#include <array>
#include <span>
#include <string>
#include <vector>

#include "claim.hpp"
#include "tomograph/analysis/interval.hpp"

namespace tomograph::bench {

using calibration::Claim;

/// Edges of the bins, narrow near 1, where most claims are.
inline constexpr std::array reliability_edges{0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 1.0};

/// Claims of similar confidence.
struct Bin {
  double low = 0;  ///< confidences from here
  double high = 0;
  std::size_t claims = 0;
  double claimed = 0;              ///< mean confidence
  double observed = 0;             ///< share of true claims
  analysis::Interval likely = {};  ///< 95 % interval of the share in the long run
};

/// Reliability diagram: observed share of true claims by claimed confidence (Murphy & Winkler 1977; DeGroot & Fienberg
/// 1983). Empty bins are left out.
[[nodiscard]] std::vector<Bin> reliability(std::span<const Claim> claims);

/// Expected calibration error (Naeini, Cooper & Hauskrecht 2015): mean distance between claimed and observed, weighted
/// by the claims of each bin.
[[nodiscard]] double expected_calibration_error(std::span<const Bin> bins);

/// The diagram as SVG.
[[nodiscard]] std::string diagram(std::span<const Bin> bins);

}  // namespace tomograph::bench

#endif
