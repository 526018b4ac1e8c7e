#ifndef TOMOGRAPH_BENCH_DOUBT_RELIABILITY_HPP
#define TOMOGRAPH_BENCH_DOUBT_RELIABILITY_HPP

#include <span>
#include <string>
#include <vector>

#include "score.hpp"
#include "tomograph/analysis/interval.hpp"

namespace tomograph::bench {

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
/// 1983). Bins are narrow near 1, where most claims are. Empty bins are left out.
[[nodiscard]] std::vector<Bin> reliability(std::span<const Claim> claims);

/// Expected calibration error (Naeini, Cooper & Hauskrecht 2015): mean distance between claimed and observed, weighted
/// by the claims of each bin.
[[nodiscard]] double expected_calibration_error(std::span<const Bin> bins);

/// The diagram as SVG.
[[nodiscard]] std::string diagram(std::span<const Bin> bins);

}  // namespace tomograph::bench

#endif
